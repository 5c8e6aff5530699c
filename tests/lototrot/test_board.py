"""The board's figures: takings without a recount, bets alive after each race, documents."""

import json
import random
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client

from core.database import clock
from core.screens import live
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Outcome, Race, numbers_of, substitute
from lototrot.models.contest import Contest, Publication
from lototrot.models.tickets import Ticket
from lototrot.selectors.alive import standings
from lototrot.selectors.board import board_document, board_prepare, board_pulse
from lototrot.selectors.cards import contest_legs
from lototrot.selectors.totals import RunningTotals, Totals
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.databases import Database

NUMBERS = (1, 2, 3, 4, 5)


def on_sale() -> Contest:
    """A contest of seven races whose rules are published, on a fixed day."""
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [NUMBERS] * 7)
    by = factories.staff(Role.ORGANISER)
    Publication.objects.create(
        contest=contest,
        rules={"ca": "Regles", "es": "Reglas", "en": "Rules"},
        prize_percent="60",
        published_at=clock.now(),
        published_by_id=by.user_id,
        published_in_id=by.session_id,
    )
    return contest


def some_masks(rng: random.Random, legs: int) -> tuple[int, ...]:
    return tuple(
        sum(1 << n - 1 for n in rng.sample(NUMBERS, rng.choice((1, 1, 2)))) for _ in range(legs)
    )


@pytest.mark.django_db
@pytest.mark.article("14.III.7", "14.III.5.4.1", "14.III.9.7")
def test_bets_alive_after_each_race_are_those_a_player_would_count() -> None:
    rng = random.Random(20261121)
    contest = on_sale()
    at = factories.point()
    tickets = [some_masks(rng, 7) for _ in range(120)]
    rounds.sell(contest, at, tickets)
    rounds.fund(accounts.jackpot("lototrot"), 300_00)
    facts = [
        Race(
            programme=NUMBERS,
            withdrawn=frozenset({2} if leg == 3 else ()),
            winners=frozenset({3, 5} if leg == 5 else {3}),
            outcome=Outcome.RUN,
        )
        for leg in range(1, 8)
    ]
    rounds.run(contest, facts)
    contest.refresh_from_db()

    assert board_document()["contests"][0]["standings"] == []  # nothing has been counted yet
    board_prepare()
    found = standings(contest, contest_legs(contest), counting=False)

    assert [standing.known for standing in found] == list(range(1, 8))
    right = [{n for n in NUMBERS if substitute(n, race)[-1] in race.winners} for race in facts]
    for many, standing in enumerate(found, start=1):
        expected = dict.fromkeys((7, 6, 5, 4), 0)
        for masks in tickets:
            for bet in product(*[numbers_of(mask) for mask in masks]):
                wrong = sum(bet[leg] not in right[leg] for leg in range(many))
                if wrong <= 3:
                    expected[7 - wrong] += 1
        assert dict(standing.bets) == expected
    settlement = contest_settle(contest_id=contest.pk)
    assert {str(k): v for k, v in found[-1].bets.items()} == settlement.figures["winners"]
    assert {str(k): v for k, v in found[-1].prizes.items()} == settlement.figures["prize_each"]
    (shown,) = board_document()["contests"]
    assert set(shown["proofs"]) == {"seal", "certificate"}
    again = standings(contest, contest_legs(contest))
    assert again[-1] == found[-1]  # what was carried in is still what it was


@pytest.mark.django_db
def test_the_document_says_what_is_on_record() -> None:
    contest = on_sale()
    factories.withdrawal(factories.races_of(contest)[2], 4)
    rounds.sell(contest, factories.point(), [rounds.masks([[1]] * 7)] * 3)
    (shown,) = board_document()["contests"]
    assert shown["contest"] == contest.pk
    assert shown["prize_percent"] == "60"
    assert [leg["position"] for leg in shown["legs"]] == list(range(1, 8))
    (fourth,) = [r for r in shown["legs"][2]["runners"] if r["number"] == 4]
    assert fourth["withdrawn"] and fourth["trace"] == [4, 5]
    assert shown["standings"] == [] and shown["settlement"] is None
    pulse = board_pulse()["contests"][str(contest.pk)]
    assert pulse["tickets"] == 3
    assert pulse["takings_cents"] == 300


def test_takings_are_right_whatever_is_open_or_late(own_database: Database) -> None:
    contest = on_sale()
    at, line = factories.point(), rounds.masks([[1]] * 7)
    totals = RunningTotals()
    rounds.sell(contest, at, [line] * 4)
    other = connections["default"].copy("default")
    other.set_autocommit(False)
    with other.cursor() as cursor:  # a sale that takes its number now and ends much later
        made_anew = {"uuid": "gen_random_uuid()", "code_digest": "'\\x00112233445566778899'::bytea"}
        names = [f.column for f in Ticket._meta.concrete_fields if f.column != "id"]
        values = ", ".join(made_anew.get(name, name) for name in names)
        cursor.execute(
            f"INSERT INTO lototrot_ticket ({', '.join(names)})"
            f" SELECT {values} FROM lototrot_ticket LIMIT 1"
        )
    for _ in range(4):
        rounds.sell(contest, at, [line] * 2)
        seen = totals.read()[contest.pk]
    assert seen == Totals(12, 12, 1200)
    other.commit()
    assert totals.read()[contest.pk] == Totals(13, 13, 1300)
    for _ in range(3):
        rounds.sell(contest, at, [line])
        totals.read()
    assert totals.read()[contest.pk] == Totals(16, 16, 1600)
    assert totals._mark > 0
    other.close()


@pytest.mark.django_db
def test_what_is_published_is_named_by_its_content_and_kept_while_it_is_named(
    tmp_path: Path,
) -> None:
    factories.time_to(rounds.NOON - timedelta(minutes=1))
    assert live.publish(tmp_path)
    assert not live.publish(tmp_path)
    first = json.loads((tmp_path / live.PULSE).read_text())
    name = first["feeds"]["lototrot"]["document"]
    on_sale()
    assert live.publish(tmp_path)
    second = json.loads((tmp_path / live.PULSE).read_text())
    assert second["feeds"]["lototrot"]["document"] != name
    assert (tmp_path / name).exists()  # for a board that has just read the first pulse
    assert second["at"] > first["at"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.django_db
def test_another_web_server_gives_the_files_out_and_no_others(
    tmp_path: Path, settings: object
) -> None:
    settings.VAR_DIR = tmp_path  # type: ignore[attr-defined]
    live.publish(live.folder())
    (tmp_path / "secret.json").write_text("{}")
    client = Client()
    answer = client.get("/live/pulse.json")
    assert answer.headers["Cache-Control"] == "max-age=1"
    document = json.loads(answer.getvalue())["feeds"]["lototrot"]["document"]
    assert "immutable" in client.get(f"/live/{document}").headers["Cache-Control"]
    for name in ("..%2fsecret.json", "lototrot-00000000000000000000.json", "x"):
        assert client.get(f"/live/{name}").status_code == 404
