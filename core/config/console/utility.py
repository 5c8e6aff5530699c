"""Django's command line, which checks the keys before a command of this program begins."""

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

from core.database.management.program_command import ProgramCommand
from core.database.management.refusing import in_a_sentence


class Console(ManagementUtility):
    """Run one command.

    A command seals, signs, settles and encrypts as a server does. So it is refused another key
    than the one that the database was used with, as a server is (`verify_keys`). Django's own
    commands use no key.
    """

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command, or end the process with a sentence where its keys are wrong."""
        command = super().fetch_command(subcommand)
        if isinstance(command, ProgramCommand) and command.needs_keys:
            from core.config.startup import verify_keys  # needs the apps loaded

            with in_a_sentence():
                verify_keys()
        return command
