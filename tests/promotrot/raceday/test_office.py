"""Plan, value, commit, witness and open an emission of the race day through the API."""

from types import SimpleNamespace
from typing import Any, cast

from core.tools.raceday.people import Staff
from promotrot.raceday import office

PLANNED = {
    "reference": "small/1",
    "proposal": "small",
    "dealt": True,
    "planned_at": "2027-04-10T09:00:00Z",
    "tiers": [{"tier": 1, "thing": "bicycle"}, {"tier": 2, "thing": ""}],
}


def test_an_emission_is_valued_committed_and_witnessed_before_it_opens() -> None:
    sent: list[tuple[str, Any]] = []

    def post(path: str, body: Any = None) -> dict[str, Any]:
        sent.append((path.removeprefix("promotrot/emissions/small/1/"), body))
        return PLANNED

    person = SimpleNamespace(post=post, get=lambda path: PLANNED)
    staff = cast(Staff, {"org1": person, "org2": person, "int1": person})
    assert office.emission_open(staff, "small", extra_tier=2) == PLANNED
    assert [path for path, _ in sent] == [
        "promotrot/emissions",
        "valuations",
        "commitment",
        "entropy",
        "opening",
        "proposals/small/confirmation",
    ]
    assert sent[0][1] == {"game": "small", "extra_tier": 2}
    valued = {"tier": 1, "source": office.VALUED, "valued_on": "2027-04-10"}
    assert sent[1][1] == valued


def test_the_demonstrations_own_game_is_read_before_a_shipped_one() -> None:
    assert office.definition("foals-lap")["code"] == "foals-lap"
    assert office.definition("lap-of-honour")["tickets"] == 600_000
