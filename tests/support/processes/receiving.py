"""Receive the public log by HTTP as docs/proofs/log.md says, in a process that can be killed.

Arguments: a port, a folder, and what it does once it keeps an entry: `answers`, `dies` or `waits`.
An entry is a file of its own; each request adds its number to the file `asked`.
"""

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Receiver(BaseHTTPRequestHandler):
    folder: Path
    then: str

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        number = json.loads(content)["sequence"]
        kept = self.folder / f"{number:09d}.json"
        is_other = kept.exists() and kept.read_bytes() != content
        if not is_other:
            kept.write_bytes(content)
        with (self.folder / "asked").open("a") as asked:
            asked.write(f"{number}\n")
        if self.then == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.then == "waits":
            time.sleep(600)
        self.send_response(409 if is_other else 204)
        self.end_headers()


if __name__ == "__main__":
    Receiver.folder, Receiver.then = Path(sys.argv[2]), sys.argv[3]
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
