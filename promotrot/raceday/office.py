"""Acts of the organiser and the inspector for an emission, through the API."""

import json
from importlib.resources import files
from typing import Any

from core.tools.raceday.people import Staff

VALUED = "Preu de venda al públic a tres comerços de Palma, IVA inclòs"
ENTROPY = "3 1 6 1 4 2 5 3 6 4 2 2 5 1 6 3 4 4 1 5 2 6 3 1 5 4 6 2 1 3 5 6 4 2 3 1 6 5 2 4"


def definition(name: str) -> dict[str, Any]:
    """Return the document of the demonstration's own game, or of a shipped one."""
    own = files("promotrot").joinpath("raceday", f"{name}.json")
    file = own if own.is_file() else files("promotrot").joinpath("games", f"{name}.json")
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return document


def confirm(staff: Staff, proposal: dict[str, Any]) -> None:
    """Confirm a proposal of the first organiser as the second one."""
    staff["org2"].post(f"proposals/{proposal['proposal']}/confirmation")


def game_approve(staff: Staff, name: str) -> dict[str, Any]:
    """Record a game and have two persons approve it; return its check."""
    organiser = staff["org1"]
    game = organiser.post("promotrot/games", {"definition": definition(name)})
    version = f"promotrot/games/{game['game']}/versions/{game['version']}"
    check: dict[str, Any] = organiser.get(f"{version}/check")
    confirm(staff, organiser.post(f"{version}/approval"))
    return check


def emission_open(staff: Staff, game: str, *, extra_tier: int | None = None) -> dict[str, Any]:
    """Plan an emission and have two persons put it on sale; return it.

    Where tickets have their prizes beforehand, first publish the commitment and have the inspector
    add entropy.
    """
    organiser = staff["org1"]
    planned: dict[str, Any] = {"game": game} | ({"extra_tier": extra_tier} if extra_tier else {})
    emission: dict[str, Any] = organiser.post("promotrot/emissions", planned)
    path = f"promotrot/emissions/{emission['reference']}"
    for tier in emission["tiers"]:
        if tier["thing"]:  # its equivalent is confirmed on the day itself
            body = {
                "tier": tier["tier"],
                "source": VALUED,
                "valued_on": emission["planned_at"][:10],
            }
            organiser.post(f"{path}/valuations", body)
    if emission["dealt"]:
        organiser.post(f"{path}/commitment", {"source": "dice", "pieces": len(ENTROPY.split())})
        staff["int1"].post(f"{path}/entropy", {"source": "dice", "text": ENTROPY})
    confirm(staff, organiser.post(f"{path}/opening"))
    return dict(organiser.get(path))


def emission_close(staff: Staff, emission: dict[str, Any]) -> dict[str, Any]:
    """Close an emission by two persons; return its statement (15.III.6.2)."""
    path = f"promotrot/emissions/{emission['reference']}"
    confirm(staff, staff["org1"].post(f"{path}/closing"))
    statement: dict[str, Any] = staff["org1"].get(path)["statement"]
    return statement
