"""Rebuild every balance from the recorded events and compare it with the ledger.

Run it as `manage.py ledger_rebuild`.
"""

from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.database.reading.snapshot import snapshot
from core.database.reading.standby import read_much
from core.ledger.books import Difference, differences


class Command(ProgramCommand):
    help = (
        "Compute every balance again from tickets, results and payments, and compare it with the"
        " ledger. Print each account that differs. Exit with 1 if one does. Change nothing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        accounts, differing = read_much(_differences)
        for difference in differing:
            self.stdout.write(
                f"{difference.account}: the ledger has {difference.ledger_cents} cents, "
                f"rebuilt {difference.rebuilt_cents}"
            )
        if differing:
            raise CommandError(f"{len(differing)} of {accounts} accounts differ.")
        self.stdout.write(f"{accounts} accounts, none differs.")


def _differences() -> tuple[int, list[Difference]]:
    with snapshot():
        return differences()
