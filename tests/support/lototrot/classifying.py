"""Enter and confirm the stewards' classification of a race of ten runners."""

from core.database import clock
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.services.races.classification import Entry, classification_propose
from tests.support import factories as f


def entries(**changed: Entry | None) -> list[Entry]:
    """Return entries: winner 7, second 1, 3 withdrawn, the rest started; `n4=None` leaves 4 out."""
    by_number = {n: Entry(n, "started") for n in range(1, 11)}
    by_number[7], by_number[1] = Entry(7, "winner", 1), Entry(1, "started", 2)
    by_number[3] = Entry(3, "withdrawn")
    for key, entry in changed.items():
        by_number[int(key[1:])] = entry
    return [entry for entry in by_number.values() if entry]


def run(contest: Contest) -> Race:
    """Start the first race of a contest, without number 3, a minute ago; return it."""
    race = f.races_of(contest)[0]
    f.withdrawal(race, 3)
    f.time_pass(minutes=1)
    f.started(race)
    f.time_pass(minutes=1)
    return race


def propose(race: Race, runners: list[Entry] | None = None, **more) -> Proposal:
    return classification_propose(
        by=more.get("by") or f.staff(Role.STEWARDS),
        race_id=race.pk,
        runners=entries() if runners is None else runners,
        announced_text=more.get("text", "1. Cavall 7, 2. Cavall 1"),
        author=more.get("author", "Comissaris"),
        announced_at=more.get("at") or clock.now(),
    )


def confirm(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))


def oversee(proposal: Proposal) -> None:
    """Confirm a correction as the inspector [B18]."""
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.INSPECTOR))
