"""Serve the system from this process, on the database that Django uses."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.servers.basehttp import (
    ThreadedWSGIServer,
    WSGIRequestHandler,
    get_internal_wsgi_application,
)

from core.database import clock
from core.screens import live


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Do nothing: the system logs requests itself."""


@contextmanager
def serving() -> Iterator[int]:
    """Serve on loopback and yield the port."""
    clock.forget_recent()
    live.publish(live.folder())
    server = ThreadedWSGIServer(("127.0.0.1", 0), _Quiet)
    server.daemon_threads = True
    server.set_app(get_internal_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
