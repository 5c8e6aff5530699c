"""`manage.py signer SOCKET`: sign what the other processes of this machine publish."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.proofs import keys
from core.proofs.signing_process import Server


class Command(ProgramCommand):
    help = "Hold SIGNING_KEYS, and sign for the processes that may open SOCKET."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("socket", help="the file that SIGNER names in the other processes")

    def handle(self, *args: Any, **options: Any) -> None:
        if os.environ.get("SIGNER"):
            raise CommandError("the signer has the keys itself: unset SIGNER")
        public = keys.current_public().hex()
        try:
            server = Server(options["socket"])
        except OSError as error:
            raise CommandError(f"there can be no socket: {error}") from error
        with server:
            self.stdout.write(f"signing with {public} at {options['socket']}")
            self.stdout.flush()  # the log of a service is no terminal
            server.serve_forever()
