"""`manage.py journal_seal`: seal the next batch, and publish the checkpoint that is due."""

from typing import Any

from core.database.management.program_command import ProgramCommand
from core.journal.services import batch_seal, checkpoint_publish, checkpoints_due


class Command(ProgramCommand):
    help = "Seal the next batch of the journal, and publish the checkpoint that is due."

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_seal()
        self.stdout.write(f"batch {batch.number}: {batch.entries} entries" if batch else "no batch")
        for number in checkpoints_due():
            entry = checkpoint_publish(number=number)
            if entry:
                self.stdout.write(f"checkpoint of batch {entry.subject}: entry {entry.sequence}")
