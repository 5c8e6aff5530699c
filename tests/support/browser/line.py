"""Put a TCP proxy on loopback between a terminal and the system, which tests can cut."""

import contextlib
import socket
import threading
from typing import Self

_CHUNK = 65_536


class Line:
    """Forward every connection to `port`. `cut` ends all of them and refuses new ones until `mend`.

    `swallow` forwards requests and returns no byte of the answers: the sale is registered, and the
    terminal does not know it.
    """

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self._swallows = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._is_cut = True
        self._end_all()

    def swallow(self) -> None:
        self._swallows = True

    def mend(self) -> None:
        """End the connections that lost an answer, as a peer does that was away too long."""
        self._end_all()
        self._is_cut = self._swallows = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_cut = True
        self._listener.close()
        self._end_all()

    def _end_all(self) -> None:
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut:
                near.close()
                continue
            far = socket.create_connection(self._to)
            with self._lock:
                self._open |= {near, far}
            for source, target, answers in ((near, far, False), (far, near, True)):
                threading.Thread(
                    target=self._carry, args=(source, target, answers), daemon=True
                ).start()

    def _carry(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(_CHUNK):
                if not (answers and self._swallows):
                    target.sendall(chunk)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._open.discard(source)
        source.close()
