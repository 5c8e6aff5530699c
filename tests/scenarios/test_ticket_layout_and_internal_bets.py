"""A contest opens only on a ticket model that names the layout in use, with the complete list of
internal bet types of its meeting; the poster of single bets speaks of no multiple ones (scenario
23; second list, E15 and E16; 14.I.1, 14.II.2, 14.III.6.2).
"""

from typing import Any

import pytest

from core.premises.requests import new_uuid
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.services.tickets.layout import layout_digest
from tests.support import factories
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.lototrot.putting_on_sale import RULES

pytestmark = pytest.mark.django_db
MODEL = {"code": "thermal", "authorisation": "DGJ 7/2027", "authorised_on": "2026-01-11"}
LIST = {"types": [{"code": "trio", "name": "Trio"}], "source": "Hipòdrom", "dated_on": "2026-01-02"}


def _model(organiser: Api, version: int, layout: str, *, multiple: bool = True) -> None:
    body = MODEL | {"version": version, "layout": layout, "multiple": multiple}
    assert organiser.post("lototrot/ticket-models", body).status_code == 201


def _prepared(organiser: Api, version: int, internal: Any = ()) -> str:
    """Return the path of a published contest on a new meeting, on a version of the model."""
    meeting = factories.meeting(internal=internal)
    rules = factories.bet_type()
    races = list(meeting.races.order_by("number"))
    body = {
        "meeting": meeting.pk,
        "bet_type": {"code": rules.code, "version": rules.version},
        "ticket_model": {"code": MODEL["code"], "version": version},
        "races": [race.pk for race in races],
        "price_cents": 100,
        "scheduled_close_at": races[0].scheduled_start_at.isoformat(),
    }
    contest = organiser.post("lototrot/contests", body).json()
    path = f"lototrot/contests/{contest['id']}"
    organiser.post(f"{path}/publication", {"rules": RULES})
    return path


def _shut(response: Any) -> list[str]:
    problem = refused(response, 409, "gates_shut")
    return [gate["code"] for gate in problem["data"]["missing"]]


@pytest.mark.article("14.II.2")
def test_another_layout_needs_another_model_and_the_slip_prints_its_version(
    organiser: Api,
) -> None:
    running = organiser.get("lototrot/ticket-layout").json()["sha256"]
    assert running == layout_digest()
    specimen = organiser.get("lototrot/ticket-layout/specimen.pdf", lang="ca")
    assert specimen.content.startswith(b"%PDF")
    changed = f"{int(running[0], 16) ^ 1:x}{running[1:]}"
    _model(organiser, 1, changed)
    path = _prepared(organiser, 1)
    for _ in range(2):
        assert _shut(organiser.post(f"{path}/opening")) == ["ticket_layout_changed"]
    assert Contest.objects.get().state == "draft"

    _model(organiser, 2, running)
    moved = {"ticket_model": {"code": MODEL["code"], "version": 2}}
    assert organiser.post(f"{path}/terms", moved).status_code < 300
    _opened(organiser, path)
    contest, point = Contest.objects.get(), factories.point()
    factories.sell(contest, point)
    ticket = _slip(point, contest)
    assert ticket["ticket_model"] == {"code": "thermal", "version": 2}
    assert "thermal v2" in ticket["printed"]


def _opened(organiser: Api, path: str) -> None:
    """Put the contest on sale by two persons."""
    proposal = organiser.post(f"{path}/opening").json()["proposal"]
    second = staff_api(Role.ORGANISER).post(f"proposals/{proposal}/confirmation")
    assert second.status_code == 200, second.content
    assert Contest.objects.get().state == "open"


def _slip(point: factories.Point, contest: Contest) -> dict[str, Any]:
    """Sell one more ticket at the terminal; return its card, with its paper as text."""
    terminal, ident = terminal_api(point), str(new_uuid())
    body = {
        "uuid": ident,
        "contest": contest.pk,
        "races": [[1]] * 7,
        "price_cents": 100,
        "amount_cents": 100,
    }
    sold = terminal.post("lototrot/tickets", body)
    assert sold.status_code == 201, sold.content
    paper = terminal.get(f"lototrot/tickets/{ident}/slip.txt", lang="ca")
    return dict(sold.json()) | {"printed": paper.content.decode()}


@pytest.mark.article("14.I.1")
def test_opening_needs_the_internal_bet_types_and_an_empty_list_said_to_be_empty(
    organiser: Api,
) -> None:
    _model(organiser, 1, layout_digest())
    path = _prepared(organiser, 1, internal=None)
    meeting = f"lototrot/meetings/{Contest.objects.get().meeting_id}/internal-bets"
    assert _shut(organiser.post(f"{path}/opening")) == ["internal_bets_unlisted"]
    refused(staff_api(Role.STEWARDS).post(meeting, LIST), 403, "power_missing")
    for body, code in (
        (LIST | {"types": []}, "internal_bets_emptiness_unsaid"),
        (LIST | {"none": True}, "internal_bets_emptiness_unsaid"),
        (LIST | {"types": LIST["types"] * 2}, "internal_bets_repeated"),
        (LIST | {"dated_on": "2999-01-01"}, "internal_bets_dated_ahead"),
        (LIST | {"source": " "}, "fields_invalid"),
    ):
        refused(organiser.post(meeting, body), 422, code)
    assert _shut(organiser.post(f"{path}/opening")) == ["internal_bets_unlisted"]

    own = LIST | {"types": [*LIST["types"], {"code": "lototrot", "name": "Set de set"}]}
    organiser.post(meeting, own)
    assert _shut(organiser.post(f"{path}/opening")) == ["bet_type_internal"]
    recorded = organiser.post(meeting, LIST | {"types": [], "none": True}).json()
    assert (recorded["types"], recorded["none"], recorded["source"]) == ([], True, "Hipòdrom")
    _opened(organiser, path)


@pytest.mark.article("14.III.6.2")
@pytest.mark.parametrize("multiple", [True, False])
def test_the_poster_of_single_bets_speaks_of_no_multiple_ones(
    organiser: Api, multiple: bool
) -> None:
    _model(organiser, 1, layout_digest(), multiple=multiple)
    _prepared(organiser, 1)
    path = f"lototrot/meetings/{Contest.objects.get().meeting_id}/poster.html"
    for language, several, most in (
        ("en", "one or more horses per race", "Most bets on a ticket"),
        ("ca", "un o més cavalls per cursa", "Màxim d'apostes per bitllet"),
    ):
        page = organiser.get(path, lang=language).content.decode()
        assert (several in page) == multiple
        assert (most in page.replace("&#x27;", "'")) == multiple
