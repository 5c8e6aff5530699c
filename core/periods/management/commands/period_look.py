"""`manage.py period_look YYYY-MM UUID`: read a ticket, voucher, statement or payment of a month."""

import uuid
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.looks.recording import EXPORT, look
from core.periods.archive.attaching import rows_about


class Command(ProgramCommand):
    help = (
        "Print the rows about a ticket, voucher, statement or payment of a month that"
        " period_attach has loaded: on each line the table and the row as JSON."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", help="the attached month, as YYYY-MM")
        parser.add_argument("uuid", type=uuid.UUID, help="its UUID, as the paper shows it")

    def handle(self, *args: Any, **options: Any) -> None:
        month, sought = options["month"], str(options["uuid"])
        look(EXPORT, f"period:{month}"[:120], asked=sought)
        rows = list(rows_about(month, sought))
        for table, line in rows:
            self.stdout.write(f"{table} {line}")
        if not rows:
            raise CommandError("nothing of that month has this UUID")
