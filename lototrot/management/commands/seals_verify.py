"""Compute every seal again from the tickets, and print differences: `manage.py seals_verify`."""

from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.database.reading.snapshot import snapshot
from core.kernel.errors import InvariantBroken
from core.proofs import keys, wire
from core.proofs.models import SigningKey
from lototrot.models.sealing import Seal
from lototrot.selectors.retired import TicketsArchived
from lototrot.services.seal.sealing import seal_verify


class Command(ProgramCommand):
    help = (
        "Compute the seal of every contest again from its tickets, and compare it with what was "
        "published. Exit with 1 if one differs. Contests whose tickets left with a retired month "
        "are listed: `verify/archive.py` counts them. Change nothing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        seals = Seal.objects.select_related("contest__meeting").order_by("pk")
        unsound = archived = 0
        for seal in seals:
            try:
                with snapshot():  # which waits for no act, and no act for it
                    seal_verify(seal.contest)
            except TicketsArchived as error:
                archived += 1
                self.stdout.write(f"contest {seal.contest_id}: archived, not counted: {error.data}")
            except InvariantBroken as error:
                unsound += 1
                self.stdout.write(f"contest {seal.contest_id}: {error.code}: {error.data}")
        if unsound:
            raise CommandError(f"{unsound} of {len(seals)} contests are not as they were sealed.")
        if seals and not keys.are_known():
            key = wire.key_id(bytes(SigningKey.objects.get(in_force=True).public_key))
            self.stdout.write(f"By this database the log is signed with {key}: compare it.")
        counted = len(seals) - archived
        self.stdout.write(f"{counted} contests, all as they were sealed; {archived} archived.")
