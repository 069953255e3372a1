"""Play every experiment again: into results/examples, or only to see that the same tables come out.

    python experiments/regenerate.py [--check] [NAME ...]

Tables (CSV and Parquet) are the same byte for byte whatever the machine and the number of workers, as long as rules,
policies, seed and versions of the libraries that write them are: what is stored has ten significant digits, and
processors differ in the last two or three of sixteen. Manifests differ in times and versions, figures in what
Matplotlib draws.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
STORED = HERE.parent / "results" / "examples"


def play(file: Path, folder: Path) -> None:
    """Play one experiment into a folder."""
    words = ["sweep", str(file), "-o", str(folder), "--overwrite", "--fresh", "--quiet"]
    subprocess.run([sys.executable, "-m", "pymacco_sim", *words], check=True, stdout=subprocess.DEVNULL)


def differing(folder: Path, stored: Path) -> list[str]:
    """Return the tables that are not the same in both folders."""
    names = {
        path.name for place in (folder, stored) for path in place.glob("*.*") if path.suffix in (".csv", ".parquet")
    }
    return sorted(
        name
        for name in names
        if not ((folder / name).exists() and (stored / name).exists())
        or (folder / name).read_bytes() != (stored / name).read_bytes()
    )


def main() -> int:
    """Play all, or those named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="experiments without .toml; all unless given")
    parser.add_argument("--check", action="store_true", help="write nothing, compare the tables with the stored ones")
    asked = parser.parse_args()
    files = sorted(file for file in HERE.glob("*.toml") if not asked.names or file.stem in asked.names)
    wrong = 0
    for file in files:
        started = time.perf_counter()
        if asked.check:
            with tempfile.TemporaryDirectory() as place:
                play(file, Path(place) / file.stem)
                differ = differing(Path(place) / file.stem, STORED / file.stem)
            said = f"differ: {', '.join(differ)}" if differ else "the same tables"
            wrong += bool(differ)
        else:
            play(file, STORED / file.stem)
            said = "written"
        print(f"{file.stem}: {said}, {time.perf_counter() - started:.1f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
