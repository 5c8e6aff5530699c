"""`manage.py signing_key show|rotation|loss|compromise`: show or replace the key of the public
log.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.proofs.log import key_rotate
from core.proofs.models import SigningKey


class Command(ProgramCommand):
    help = (
        "Show the key that signs the public log, or replace it by the current one of SIGNING_KEYS"
        " and publish why."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "act",
            choices=["show", *SigningKey.Ended.values],
            help="show it; or replace it, with the reason for which the old key ends",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "show":
            key = SigningKey.objects.filter(in_force=True).first()
        else:
            key = key_rotate(reason=SigningKey.Ended(options["act"]))
        if key is None:
            raise CommandError("Nothing has been published yet: there is no key in force.")
        public = bytes(key.public_key).hex()
        self.stdout.write(f"{key.key_id} since entry {key.first_sequence}: {public}")
