"""verify/settlement.py: on the law's worked cases, on real settlements, and on whoever lies."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from core.database import clock
from core.embedded.server import ROOT
from core.proofs.log import published
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.engine.bet_type import BetType
from lototrot.engine.distribution import Takings, distribute
from lototrot.engine.races import Outcome, Race, right_mask
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services import certificate
from lototrot.services.breach import breach_void
from lototrot.services.chart import organiser_share
from lototrot.services.payment_order import payment_order_propose
from lototrot.services.settlement import contest_settle, settlement_reverse
from tests import factories, settling
from tests.core.api.conftest import Api, staff_api
from tests.verify.load import verifier
from tests.verify.signing import changed, public_key, signed, written

settlement = verifier("settlement")
entry = verifier("entry")
CASES = json.loads((ROOT / "tests" / "golden" / "cases.json").read_text("utf-8"))["cases"]
LEAST = Fraction(60)


def rules_of(given: dict[str, Any]) -> BetType:
    """A worked case's bet type."""
    names = {"payout_step": "payout_step_cents", "threshold": "jackpot_threshold_cents"}
    changes = {names.get(k, k): v for k, v in given.get("bet_type", {}).items()}
    return settling.rules(**changes)


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.article(*case["articles"]))
        for case in CASES
        if case["kind"] == kind
    ]


# --- Rules, without a database --------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("settlement"))
def test_a_worked_settlement_comes_out_of_the_verifier_s_own_rules(case: dict[str, Any]) -> None:
    made = settlement.figures(rules_of(case["input"]).to_document(), case["input"])
    assert {name: made[name] for name in case["expected"]} == case["expected"]


@pytest.mark.parametrize("case", cases("hits"))
def test_a_worked_ticket_has_its_winning_bets(case: dict[str, Any]) -> None:
    given = case["input"]
    masks = [sum(1 << (n - 1) for n in numbers) for numbers in given["ticket"]]
    right = [sum(1 << (n - 1) for n in settlement.right_numbers(race)) for race in given["races"]]
    found = settlement.winning_bets(masks, right, 4)
    assert {hits: found.get(int(hits), 0) for hits in case["expected"]["units"]} == (
        case["expected"]["units"]
    )


@st.composite
def races(draw: st.DrawFn) -> Race:
    programme = tuple(sorted(draw(st.sets(st.integers(1, 12), min_size=2))))
    states = {n: draw(st.sampled_from(("ran", "withdrawn", "left"))) for n in programme}
    outcome = draw(st.sampled_from(list(Outcome)))
    out = frozenset(n for n in programme if states[n] == "withdrawn")
    left = frozenset(n for n in programme if states[n] == "left")
    if outcome is Outcome.NOT_RUN:
        left = frozenset()
    if outcome is not Outcome.NOT_RUN and not set(programme) - out - left:
        out, left = frozenset(), frozenset()
    field = Race(programme, out, left, outcome=outcome).field
    winner = draw(st.sampled_from(field))
    return Race(programme, out, left, winners=frozenset({winner}), outcome=outcome)


@given(races())
def test_right_numbers_are_those_of_the_engine(race: Race) -> None:
    document = {
        "programme": [*race.programme], "withdrawn": [*race.withdrawn], "left": [*race.left],
        "disqualified": [], "winners": [*race.winners], "outcome": str(race.outcome),
    }  # fmt: skip
    found = settlement.right_numbers(document)
    assert sum(1 << (n - 1) for n in found) == right_mask(race)


@given(
    st.integers(0, 10**9), st.lists(st.integers(0, 2000), min_size=4, max_size=4),
    st.integers(0, 3 * 10**7), st.integers(0, 10**7), st.integers(0, 10**6),
    st.sampled_from([1, 5, 10]),
)  # fmt: skip
def test_two_independent_writings_of_the_rules_agree(
    takings: int, winners: list[int], jackpot: int, reserve: int, lapsed: int, step: int
) -> None:
    rules = settling.rules(payout_step_cents=step)
    by_category = dict(zip((7, 6, 5, 4), winners, strict=True))
    d = distribute(Takings(takings, by_category, jackpot, reserve, lapsed), rules).to_document()
    assert settlement.figures(rules.to_document(), d) == d


# --- Real settlements -----------------------------------------------------------------------------


@pytest.fixture
def point(db: None) -> factories.Point:
    factories.time_to(settling.NOON)
    return factories.point()


PROGRAMME = tuple(range(1, 9))


def sold(point: factories.Point, number: int = 60) -> Contest:
    """A contest of seven races with tickets of all sorts."""
    made = settling.contest(settling.rules(), [PROGRAMME] * 7)
    chance = random.Random(7)  # the same tickets in every run
    tickets = [
        [sum(1 << (n - 1) for n in chance.sample(range(1, 4), chance.choice((1, 1, 2))))
         for _ in range(7)]
        for _ in range(number)
    ]  # fmt: skip
    settling.sell(made, point, tickets)
    return made


FACTS = [
    Race(PROGRAMME, withdrawn=frozenset({1}), winners=frozenset({2})),
    Race(PROGRAMME, winners=frozenset({1, 2})),
    Race(PROGRAMME, withdrawn=frozenset({3}), winners=frozenset({1}), outcome=Outcome.NOT_RUN),
    *[Race(PROGRAMME, winners=frozenset({1}))] * 4,
]


def settled(point: factories.Point) -> Settlement:
    made = sold(point)
    settling.run(made, FACTS)
    return contest_settle(contest_id=made.pk)


def published_of(of: Settlement) -> dict[str, Any]:
    return certificate.certificate_of(of).published()


def seal_of(of: Settlement) -> dict[str, Any]:
    found: dict[str, Any] = of.contest.seal.entry.published()
    return found


def run(folder: Path, certified: dict[str, Any], of: Settlement | None = None) -> str:
    """Verify a certificate, with the tickets of its settlement if that is given."""
    files = [written(folder, "certificate.json", certified)]
    if of is not None:
        response = staff_api(Role.AUDITOR).get(f"lototrot/contests/{of.contest_id}/sealed-tickets")
        assert response.status_code == 200
        tickets = folder / "tickets"
        tickets.write_bytes(b"".join(response.streaming_content))
        files += [str(tickets), written(folder, "seal.json", seal_of(of))]
        for place, each in enumerate(of.contest.seal.amendments.order_by("number")):
            files.append(written(folder, f"amendment{place}.json", each.entry.published()))
    answer: str = settlement.check(public_key(), *files)
    return answer


@pytest.mark.article("14.III.9.1", "14.III.9.7")
def test_a_true_certificate_holds_and_so_do_its_tickets(
    point: factories.Point, tmp_path: Path
) -> None:
    made = settled(point)
    assert "as the operator counted them" in run(tmp_path, published_of(made))
    assert "over 60 sealed tickets" in run(tmp_path, published_of(made), made)
    assert run(tmp_path, Api().get(f"lototrot/contests/{made.contest_id}/certificate").json())


def test_tickets_voided_for_a_breach_are_left_out(point: factories.Point, tmp_path: Path) -> None:
    made = sold(point)
    factories.time_pass(hours=2)
    first = factories.races_of(made)[0]
    factories.contest_closed(made)
    factories.started(first, at=clock.now() - factories.timedelta(hours=3))
    one, two = factories.two_organisers()
    proposal = breach_void(by=one, contest_id=made.pk)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    for race in factories.races_of(made):
        factories.classified(race, [1])
    found = contest_settle(contest_id=made.pk)
    assert found.tickets == 0
    assert run(tmp_path, published_of(found), found)
    with pytest.raises(entry.Refused, match=r"^AMENDMENT: "):
        settlement.check(
            public_key(), *[str(tmp_path / name) for name in ("certificate.json", "tickets")],
            str(tmp_path / "seal.json"),
        )  # fmt: skip


def test_every_field_changed_is_refused_by_its_name(point: factories.Point, tmp_path: Path) -> None:
    true = published_of(settled(point))
    document = true["document"]
    assert set(document) == {*settlement.NAMES.split(), "digests"}
    for name in document:
        copy = true | {"document": document | {name: changed(document[name])}}
        named = next(iter(document["digests"])) if name == "digests" else name
        with pytest.raises(entry.Refused, match=rf"^certificate\.{named}: "):
            run(tmp_path, copy)
        without = true | {"document": {k: v for k, v in document.items() if k != name}}
        with pytest.raises(entry.Refused, match=rf"^certificate\.{name}: "):
            run(tmp_path, without)


def test_every_figure_that_a_lying_operator_signs_is_refused_by_its_name(
    point: factories.Point, tmp_path: Path
) -> None:
    """Inputs show in what follows from them: the first figure that does, in alphabetical order."""
    true = published_of(settled(point))
    figures = true["document"]["figures"]
    inputs = {"takings", "winners", "jackpot_in", "reserve_in", "lapsed_in"}
    for name in figures:
        lying = signed(true, figures=figures | {name: changed(figures[name])})
        named = r"\w+" if name in inputs else name
        with pytest.raises(entry.Refused, match=rf"^certificate\.figures\.{named}: |lapsed_from"):
            run(tmp_path, lying)


LIES: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("races", r"races\.1", lambda d: [d["races"][0] | {"right": [1]}, *d["races"][1:]]),
    ("races", r"races\.1", lambda d: [d["races"][0] | {"winners": [1]}, *d["races"][1:]]),
    ("races", r"races\.3", lambda d: [
        r | {"winners": [2], "right": [2]} if r["position"] == 3 else r for r in d["races"]]),
    ("draws", r"races\.3", lambda d: []),
    ("draws", r"races\.3", lambda d: [d["draws"][0] | {"minutes": None}]),
    ("rules", r"figures\.\w+", lambda d: d["rules"] | {"prize_percent": "61"}),
    ("rules", r"figures\.\w+", lambda d: d["rules"] | {"jackpot_threshold_cents": -1}),
    ("rules", r"rules", lambda d: d["rules"] | {"shares_below": {**d["rules"]["shares_below"],
                                                                "7": "20"}}),
    ("organiser", "organiser", lambda d: d["organiser"] | {"parts": {
        **d["organiser"]["parts"], "tax": 0}}),
    ("lapsed_from", "lapsed_from", lambda d: [{"account": "x", "cents": 1}]),
    ("format", "format", lambda d: "lototrot-settlement-2"),
    ("settlement", "subject", lambda d: "0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "named", "lie"), LIES)
def test_what_a_lying_operator_signs_is_refused_by_the_rule_it_breaks(
    point: factories.Point, tmp_path: Path, name: str, named: str,
    lie: Callable[[dict[str, Any]], Any],
) -> None:  # fmt: skip
    made = settled(point)
    true = published_of(made)
    lying = signed(true, **{name: lie(true["document"])})
    with pytest.raises(entry.Refused, match=rf"^certificate\.{named}: "):
        run(tmp_path, lying)


def test_tickets_tell_on_an_operator_who_counts_wrong_or_changes_one(
    point: factories.Point, tmp_path: Path
) -> None:
    made = settled(point)
    true = published_of(made)
    d = true["document"]
    others = {"7": 0, "6": 1, "5": 2, "4": 3}
    wrong = distribute(
        Takings(d["figures"]["takings"], {int(k): v for k, v in others.items()}, 0, 0, 0),
        settling.rules(),
    )
    lies = {
        r"certificate\.figures\.winners": {
            "figures": wrong.to_document(), "organiser": _shares(d, wrong.organiser_share),
        },
        r"certificate\.bets": {"bets": d["bets"] + 1},
        r"certificate\.tickets": {"tickets": d["tickets"] + 1},
        r"certificate\.winning_tickets": {"winning_tickets": 1},
        r"certificate\.seal\.tickets": {"seal": d["seal"] | {"tickets": 61}},
        r"certificate\.seal": {"seal": d["seal"] | {"entry": "00" * 32}},
        r"AMENDMENT": {"amendments": ["00" * 32]},
    }  # fmt: skip
    for named, changes in lies.items():
        with pytest.raises(entry.Refused, match=rf"^{named}: "):
            run(tmp_path, signed(true, **changes), made)
    run(tmp_path, true, made)
    file = tmp_path / "tickets"
    whole = bytearray(file.read_bytes())
    # The last byte is of the commitment to the last ticket's code; the first, of a field's length.
    for place in (len(whole) - 1, 5, 0):
        other = bytearray(whole)
        other[place] ^= 1
        file.write_bytes(other)
        with pytest.raises(entry.Refused, match=r"^(seal\.root|TICKETS): "):
            settlement.check(
                public_key(), str(tmp_path / "certificate.json"), str(file),
                str(tmp_path / "seal.json"),
            )  # fmt: skip


def _shares(document: dict[str, Any], cents: int) -> dict[str, Any]:
    parts = organiser_share(settling.NOON.date()).divide(cents)
    found: dict[str, Any] = document["organiser"] | {"parts": {str(p): c for p, c in parts.items()}}
    return found


# --- What is published when ----------------------------------------------------------------------


@pytest.mark.article("14.III.8.2")
def test_a_reversal_and_the_payment_order_are_published_beside_the_certificate(
    point: factories.Point, tmp_path: Path
) -> None:
    first = settled(point)
    settlement_reverse(contest_id=first.contest_id, by=factories.staff(Role.STEWARDS))
    with pytest.raises(certificate.CertificateUnknown):
        certificate.certificate_in_force(first.contest_id)
    undone = published(kind=certificate.REVERSAL, subject=str(first.uuid))
    assert undone and undone.document["certificate"] == _digest(first)
    settling.reclassify(factories.races_of(first.contest)[6], [2])
    second = contest_settle(contest_id=first.contest_id)
    assert published_of(second)["document"]["replaces"] == str(first.uuid)
    assert run(tmp_path, published_of(second), second)
    one, two = factories.two_organisers()
    proposal = payment_order_propose(by=one, contest_id=first.contest_id)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    final = published(kind=certificate.PAYMENT_ORDER, subject=str(second.uuid))
    assert final and final.document["certificate"] == _digest(second)
    kinds = list(
        LogEntry.objects.filter(kind__startswith="lototrot.")
        .order_by("pk")
        .values_list("kind", flat=True)
    )
    assert kinds == [
        "lototrot.seal", certificate.CERTIFICATE, certificate.REVERSAL, certificate.CERTIFICATE,
        certificate.PAYMENT_ORDER,
    ]  # fmt: skip


def _digest(of: Settlement) -> str:
    return bytes(certificate.certificate_of(of).digest).hex()


def test_the_next_meeting_s_certificate_names_the_one_before(
    point: factories.Point, tmp_path: Path
) -> None:
    first = settled(point)
    proposal = payment_order_propose(by=(two := factories.two_organisers())[0],
                                     contest_id=first.contest_id)  # fmt: skip
    two_persons.confirm(proposal=proposal.uuid, by=two[1])
    settling.later(1)
    second = settled(point)
    document = published_of(second)["document"]
    assert document["previous"] == _digest(first)
    assert document["figures"]["jackpot_in"] == first.jackpot_out_cents
    assert document["figures"]["reserve_in"] == first.reserve_out_cents
    assert run(tmp_path, published_of(second), second)
    before = written(tmp_path, "before.json", published_of(first))
    own = str(tmp_path / "certificate.json")
    assert settlement.check(public_key(), own, f"previous={before}")
    with pytest.raises(entry.Refused, match=r"^certificate\.previous: "):
        settlement.check(public_key(), own, f"previous={own}")
    wrong = signed(published_of(first), figures=first.figures | {"jackpot_out": 1})
    digest = entry.digest(wrong)
    lying = signed(published_of(second), previous=digest)
    with pytest.raises(entry.Refused, match=r"^certificate\.figures\.jackpot_in: "):
        settlement.check(
            public_key(), written(tmp_path, "lying.json", lying),
            f"previous={written(tmp_path, 'wrong.json', wrong)}",
        )  # fmt: skip


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_the_certificate_on_paper_has_every_figure(point: factories.Point, language: str) -> None:
    made = settled(point)
    path = f"lototrot/contests/{made.contest_id}/certificate"
    paper = Api().get(f"{path}.pdf", lang=language)
    text = "".join(
        "".join(page.extract_text() for page in PdfReader(BytesIO(paper.content)).pages).split()
    )
    found = Api().get(path).json()
    wanted = [found["signature"], found["document"]["seal"]["root"], str(made.uuid)]
    assert [each for each in wanted if each not in text] == []
    assert Api().get(f"{path}.html").status_code == 200


def test_the_tickets_are_for_those_who_may_read_them(point: factories.Point) -> None:
    made = settled(point)
    path = f"lototrot/contests/{made.contest_id}/sealed-tickets"
    assert staff_api(Role.STEWARDS).get(path).json()["code"] == "power_missing"
    assert Api().get(path).status_code == 401
