"""Compile the message catalogues."""

from typing import Any

from babel.messages.pofile import PoFileError
from django.conf import settings
from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.tools.catalogues import catalogues


class Command(ProgramCommand):
    """Compile every message catalogue of the project, without the gettext tools."""

    help = "Compile the message catalogues (.po to .mo)."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            changed = catalogues.compile_all(settings.BASE_DIR)
        except PoFileError as error:
            raise CommandError(f"A catalogue cannot be read: {error}") from error
        self.stdout.write(f"{len(changed)} catalogues compiled.")
