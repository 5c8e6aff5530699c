"""Migrate while sales go on: one at a time, and again while sales hold a lock that it needs."""

from typing import Any

from django.core.management.commands import migrate

from core.database.installing import alone, until_unlocked


class Command(migrate.Command):
    """Django's `migrate`. Two at once run one after the other."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate. A migration that did not get its lock was undone, and is tried again."""
        with alone(options["database"]):
            until_unlocked(lambda: super(Command, self).handle(*arguments, **options))
