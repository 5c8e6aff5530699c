"""Wait until the database is migrated."""

import fcntl
import os


def wait_until_migrated() -> None:
    """Wait until nobody locks the file $BEGIN_AFTER, if there is such a variable.

    `make up` holds that lock while it migrates the database, and starts the processes meanwhile, so
    that they load the program at the same time. The lock ends with its holder.
    """
    path = os.environ.get("BEGIN_AFTER")
    if path:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)
