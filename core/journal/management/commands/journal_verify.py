"""`manage.py journal_verify`: says where the journal, or a row it stands for, has been touched."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.journal.verifying import What, verify


class Command(BaseCommand):
    help = "Verify the whole journal and every row it stands for; exit 1 unless all is well."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--most", type=int, default=1000, help="places to name at most")

        parser.add_argument("--table", action="append", default=[], help="rows of this one only")

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify(most=options["most"], tables=options["table"])
        for finding in found.findings:
            self.stdout.write(f"{finding.what}: {finding.detail}")
        sealed = f"{found.batches} batches, {found.entries} entries"
        touched = [each for each in found.findings if each.what is not What.ANEW]
        if touched:
            more = " or more" if found.is_cut else ""
            raise CommandError(f"{sealed}; touched in {len(touched)}{more} places")
        if found.findings:
            raise CommandError(f"{sealed}; nothing was touched, and nothing can be written")
        self.stdout.write(f"{sealed}; nothing was touched")
