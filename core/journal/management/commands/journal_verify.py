"""`manage.py journal_verify`: verify the journal and every row; name the changed places."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.journal.verifying import Fault, verify


class Command(BaseCommand):
    help = "Verify the whole journal and every row it stands for; exit 1 unless all is well."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--most", type=int, default=1000, help="places to name at most")
        parser.add_argument("--table", action="append", default=[], help="only rows of this table")

    def handle(self, *args: Any, **options: Any) -> None:
        verification = verify(most=options["most"], tables=options["table"])
        for finding in verification.findings:
            self.stdout.write(f"{finding.what}: {finding.detail}")
        sealed = f"{verification.batches} batches, {verification.entries} entries"
        changed = sum(finding.what is not Fault.ANEW for finding in verification.findings)
        if changed:
            more = " or more" if verification.is_cut else ""
            raise CommandError(f"{sealed}; changed in {changed}{more} places")
        if verification.findings:
            raise CommandError(f"{sealed}; nothing was changed, and nothing can be written")
        self.stdout.write(f"{sealed}; nothing was changed")
