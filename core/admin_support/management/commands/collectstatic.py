"""`manage.py collectstatic`: Django's own, which says what to do where the disk is full."""

from typing import Any

from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand, collectstatic.Command):
    """Django's `collectstatic`. What is there after a failure is whole: it goes on from there."""

    def handle(self, **options: Any) -> str | None:
        try:
            return super().handle(**options)
        except OSError as error:
            raise CommandError(
                f"not all is written: {error}; make room, and run it again"
            ) from error
