"""`manage.py journal_lineage`: say on which server the journal is, and begin a lineage on this."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.journal.lineages import lineage_begin, state, unbegun


class Command(ProgramCommand):
    help = (
        "Say whether the journal can be written on this server; exit with 1 if not. With --begin,"
        " begin a lineage, so that it can: after a dump, a logical copy or pg_upgrade."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--begin", metavar="REASON", help="begin a lineage; the reason is published in the log"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["begin"] is not None:
            try:
                entry = lineage_begin(reason=options["begin"])
            except ValueError as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"published in entry {entry.sequence} of the log")
        missing = unbegun()
        if missing:
            raise CommandError(f"lineage_not_begun: {missing}")
        now = state()
        self.stdout.write(f"lineage {now.lineage}, server {now.server}, next number {now.next}")
