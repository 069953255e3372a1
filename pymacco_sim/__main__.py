"""``python -m pymacco_sim`` is ``pymacco-sim``."""

from pymacco_sim.cli import main

if __name__ == "__main__":
    main()
