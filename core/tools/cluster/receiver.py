"""Receive the public log: `python -m core.tools.cluster.receiver HOST:PORT FOLDER`.

It stores each entry as a file, and refuses a different entry of the same number. It
imports nothing of the program, as it may run on another party's host.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Receiver(BaseHTTPRequestHandler):
    """Answer 204 for an entry that is kept, 409 for another of its number, 400 for no entry."""

    folder: Path

    def do_GET(self) -> None:
        """Say how many entries are kept."""
        content = json.dumps({"entries": len(list(self.folder.glob("*.json")))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        """Keep an entry."""
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(self._kept(content))
        self.end_headers()

    def _kept(self, content: bytes) -> int:
        try:
            number = int(json.loads(content)["sequence"])
        except (ValueError, KeyError, TypeError):
            return 400
        target = self.folder / f"{number:09d}.json"
        if target.exists():
            return 204 if target.read_bytes() == content else 409
        draft = target.with_suffix(".part")
        with draft.open("wb") as file:
            file.write(content)
            os.fsync(file.fileno())
        draft.rename(target)
        return 204

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def main() -> None:
    address, folder = sys.argv[1:]
    host, _, port = address.rpartition(":")
    Receiver.folder = Path(folder)
    Receiver.folder.mkdir(parents=True, exist_ok=True)
    ThreadingHTTPServer((host, int(port)), Receiver).serve_forever()


if __name__ == "__main__":
    main()
