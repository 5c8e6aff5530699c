"""`manage.py journal_seal`: seal the next batch, and publish the checkpoints of ended days."""

from typing import Any

from django.core.management.base import BaseCommand

from core.journal.services import batch_seal, checkpoint_publish, days_due


class Command(BaseCommand):
    help = "Seal the next batch of the journal, and publish the checkpoints of days that ended."

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_seal()
        self.stdout.write(f"batch {batch.number}: {batch.entries} entries" if batch else "no batch")
        for day in days_due():
            entry = checkpoint_publish(day=day)
            self.stdout.write(f"checkpoint of {day}: entry {entry.sequence if entry else '-'}")
