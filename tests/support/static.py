"""Read the list of static files once for all test clients."""

from typing import Any

from whitenoise.middleware import WhiteNoiseMiddleware


def share_static_files() -> None:
    """Let every handler take the static files that the first one found.

    Each `django.test.Client` has a handler of its own, and reading some hundred files for each took
    more than half of the time of a test that makes one request.
    """
    scan = WhiteNoiseMiddleware.add_files_from_finders
    files: dict[str, Any] = {}

    def take(middleware: WhiteNoiseMiddleware) -> None:
        if not files:
            scan(middleware)
            files.update(middleware.files)
        middleware.files.update(files)

    WhiteNoiseMiddleware.add_files_from_finders = take
