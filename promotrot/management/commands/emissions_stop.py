"""`manage.py emissions_stop`: after a restore, sell nothing that may have been dealt before."""

from typing import Any

from core.database.management.program_command import ProgramCommand
from promotrot.models.emission import Emission
from promotrot.services.closing import emissions_dealt_stop


class Command(ProgramCommand):
    help = (
        "Stop the sale of every emission whose prizes are dealt in advance. Run it after a restore"
        " of the database to an earlier time, before the web processes start: the next tickets may"
        " have been sold and seen before. Two persons then close each emission. It also names the"
        " emissions whose seed is fixed and which are not on sale."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for reference in emissions_dealt_stop():
            self.stdout.write(f"stopped: {reference}")
        fixed = Emission.objects.filter(state=Emission.State.MIXED).order_by("pk")
        for emission in fixed:
            self.stdout.write(f"not on sale here, with its seed fixed: {emission.reference}")
