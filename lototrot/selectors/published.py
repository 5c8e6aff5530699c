"""Find what the public log has of a contest."""

from core.proofs import log
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement

SEAL = "lototrot.seal"
CERTIFICATE = "lototrot.settlement"


def log_indexes(contest: Contest, settlement: Settlement | None) -> dict[str, int]:
    """Return the indexes of the seal and of the settlement's certificate in the public log."""
    subjects = {"seal": (SEAL, f"contest:{contest.pk}")}
    if settlement:
        subjects["certificate"] = (CERTIFICATE, str(settlement.uuid))
    entries = {
        name: log.published(kind=kind, subject=subject)
        for name, (kind, subject) in subjects.items()
    }
    return {name: entry.sequence for name, entry in entries.items() if entry}
