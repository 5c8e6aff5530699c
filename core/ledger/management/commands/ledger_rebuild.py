"""`manage.py ledger_rebuild`: every balance anew from what happened, compared with the ledger."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from core.ledger.books import differences


class Command(BaseCommand):
    help = (
        "Makes every balance anew from tickets, results and payments and compares it with the "
        "ledger. Prints each account that differs; exits with 1 if one does. Changes nothing."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            accounts, differing = differences()
        for each in differing:
            self.stdout.write(
                f"{each.account}: the ledger has {each.ledger_cents} cents, "
                f"rebuilt {each.rebuilt_cents}"
            )
        if differing:
            raise CommandError(f"{len(differing)} of {accounts} accounts differ.")
        self.stdout.write(f"{accounts} accounts, none differs.")
