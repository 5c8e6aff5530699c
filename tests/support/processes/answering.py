"""Answer one request over TCP with given bytes, whatever they are."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Give the HTTP address of a server that answers its first request so, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            caller, _ = server.accept()
            with caller:
                caller.recv(65_536)
                caller.sendall(answer)
                caller.shutdown(socket.SHUT_WR)
                while caller.recv(65_536):
                    pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/log"
        thread.join(timeout=10)
