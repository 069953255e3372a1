"""A headless Chromium over its debugging pipe, for looking at pages; needs nothing but the program."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

PROGRAM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


class Browser:
    """One page; use as a context manager."""

    def __init__(self, folder: Path, timeout: float = 60.0) -> None:
        assert PROGRAM is not None
        self.timeout = timeout
        self.events: list[dict[str, Any]] = []
        self._number = 0
        self._rest = b""
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def wire() -> None:  # the protocol's ends are descriptors 3 and 4; first out of each other's way
            spare_read, spare_write = os.dup(to_read), os.dup(to_write)
            high_read, high_write = os.dup2(spare_read, 60), os.dup2(spare_write, 61)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        command = [PROGRAM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            command, preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    _session: str | None = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        os.close(self._read)
        os.close(self._write)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self.timeout
        while True:
            answer = self._receive(end)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
            part = os.read(self._read, 1 << 16) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def open(self, page: Path, width: int, scheme: str = "light", media: str = "") -> None:
        """Load a file at a viewport's width."""
        self.events.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", media=media, features=[feature])
        self.send("Page.navigate", url=page.resolve().as_uri())
        while self.run("document.readyState") != "complete":
            time.sleep(0.02)

    def run(self, code: str) -> Any:
        """Return the value of an expression in the page."""
        return self.send("Runtime.evaluate", expression=code, returnByValue=True)["result"].get("value")

    def complaints(self) -> list[str]:
        """Return errors of the console, and whatever the page asked for beside itself."""
        said = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                said.append(json.dumps(params)[:300])
            if event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("data:") and params.get("type") != "Document":
                    said.append(f"asked for {url}")
        return said

    def picture(self, path: Path) -> None:
        """Write a screenshot of the whole page."""
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))
