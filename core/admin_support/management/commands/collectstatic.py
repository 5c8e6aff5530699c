"""`manage.py collectstatic`: Django's own, which goes by the content of the files."""

from typing import Any

from django.contrib.staticfiles.management.commands import collectstatic
from django.core.files.storage import Storage
from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand, collectstatic.Command):
    """Django's `collectstatic`. What is there after a failure is whole: it goes on from there.

    Django leaves a file alone that is not older than its source. But the files of a release have
    the time of its packing: what another release collected later would stay.
    """

    needs_keys = False  # nor a database

    def handle(self, **options: Any) -> str | None:
        try:
            return super().handle(**options)
        except OSError as error:
            raise CommandError(
                f"not all is written: {error}; make room, and run it again"
            ) from error

    def delete_file(self, path: str, prefixed_path: str, source_storage: Storage) -> bool:
        """Delete a collected file whose content is another now; return whether to copy it."""
        if not self.storage.exists(prefixed_path):
            return True
        with source_storage.open(path) as source, self.storage.open(prefixed_path) as collected:
            if source.read() == collected.read():
                self.unmodified_files.append(prefixed_path)
                return False
        if not self.dry_run:
            self.storage.delete(prefixed_path)
        return True
