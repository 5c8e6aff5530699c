"""Wait until the database is migrated, and say whether it is."""

import fcntl
import os

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


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


def migrations_missing() -> bool:
    """Return whether this program has migrations that the database does not have."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
