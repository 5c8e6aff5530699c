"""Run verify/settlement.py on worked cases, on real settlements, and on false certificates."""

import json
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.database import clock
from core.proofs.log import published
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from lototrot.accounts import organiser_share
from lototrot.engine.bet_type import BetType
from lototrot.engine.distribution import Takings, distribute
from lototrot.engine.races import Outcome, Race, right_mask
from lototrot.selectors.published import CERTIFICATE
from lototrot.services.settlement import certificate
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories, rounds
from tests.support.api import Api
from tests.support.verifying.forging import (
    Refused,
    Walk,
    forged,
    published_log,
    quick_signatures,
    vouched_for,
)
from tests.support.verifying.load import verifier
from tests.support.verifying.settling import (
    PROGRAMME,
    digest_of,
    published_of,
    run,
    sealed_tickets,
    settled,
    sold,
)

settlement, money, tickets = (verifier(name) for name in ("settlement", "money", "tickets"))
races_of_law = verifier("races")
entry_digest = verifier("entry").digest
KIND = CERTIFICATE
CASES = json.loads((ROOT / "tests" / "golden" / "cases.json").read_text("utf-8"))["cases"]
LEAST = Fraction(60)


def rules_of(facts: dict[str, Any]) -> BetType:
    """A worked case's bet type."""
    names = {"payout_step": "payout_step_cents", "threshold": "jackpot_threshold_cents"}
    changes = {names.get(k, k): v for k, v in facts.get("bet_type", {}).items()}
    return rounds.rules(**changes)


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.article(*case["articles"]))
        for case in CASES
        if case["kind"] == kind
    ]


# --- Rules, without a database --------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("settlement"))
def test_a_worked_settlement_comes_out_of_the_verifier_s_own_rules(case: dict[str, Any]) -> None:
    computed = money.figures(rules_of(case["input"]).to_document(), case["input"])
    assert {name: computed[name] for name in case["expected"]} == case["expected"]


@pytest.mark.parametrize("case", cases("hits"))
def test_a_worked_ticket_has_its_winning_bets(case: dict[str, Any]) -> None:
    facts = case["input"]
    masks = [sum(1 << (n - 1) for n in numbers) for numbers in facts["ticket"]]
    right = [sum(1 << (n - 1) for n in races_of_law.right_numbers(race)) for race in facts["races"]]
    winning = tickets.winning_bets(masks, right)
    assert {hits: winning[int(hits)] for hits in case["expected"]["units"]} == (
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
        "programme": [*race.programme],
        "withdrawn": [*race.withdrawn],
        "left": [*race.left],
        "disqualified": [],
        "winners": [*race.winners],
        "outcome": str(race.outcome),
    }
    assert sum(1 << (n - 1) for n in races_of_law.right_numbers(document)) == right_mask(race)


@given(
    st.integers(0, 10**9),
    st.lists(st.integers(0, 2000), min_size=4, max_size=4),
    st.integers(0, 3 * 10**7),
    st.integers(0, 10**7),
    st.integers(0, 10**6),
    st.sampled_from([1, 5, 10]),
)
def test_two_independent_writings_of_the_rules_agree(
    takings: int, winners: list[int], jackpot: int, reserve: int, lapsed: int, step: int
) -> None:
    rules = rounds.rules(payout_step_cents=step)
    by_category = dict(zip((7, 6, 5, 4), winners, strict=True))
    d = distribute(Takings(takings, by_category, jackpot, reserve, lapsed), rules).to_document()
    computed = money.figures(rules.to_document(), d)
    assert d == d | computed and d.keys() - computed.keys() == GIVEN


GIVEN = {"takings", "jackpot_in", "reserve_in", "lapsed_in"}


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 50)), min_size=1, max_size=6))
def test_joined_prizes_are_the_least_change_that_never_grows_downwards(
    categories: list[tuple[int, int]],
) -> None:
    """9.7, second paragraph, as the isotonic regression that it is: another way to the same."""
    places = range(len(categories))
    amounts, winners = ({p: each[i] for p, each in enumerate(categories)} for i in (0, 1))

    def mean(first: int, last: int) -> Fraction:
        part = categories[first : last + 1]
        return Fraction(sum(a for a, _ in part), sum(w for _, w in part))

    _, halved, groups = money.corrected(amounts, winners)
    categories[:] = [(halved[p], winners[p]) for p in places]
    prizes = {p: money.prize(group, halved, winners) for group in groups for p in group}
    assert prizes == {
        p: min(max(mean(a, b) for b in places if b >= p) for a in places if a <= p) for p in places
    }


# --- Real settlements -----------------------------------------------------------------------------


@pytest.fixture
def point(db: None) -> factories.Point:
    factories.time_to(rounds.NOON)
    return factories.point()


@pytest.mark.article("14.III.9.1", "14.III.9.7")
def test_a_true_certificate_holds_and_so_do_its_tickets(
    point: factories.Point, tmp_path: Path
) -> None:
    contest, log = settled(point), published_log()
    assert "as the operator counted them" in run(tmp_path, log, contest)
    assert "over 60 sealed tickets" in run(
        tmp_path, log, contest, sealed_tickets(tmp_path, contest)
    )
    assert Api().get(f"lototrot/contests/{contest.contest_id}/certificate.json").json() in log


def test_tickets_voided_for_a_breach_are_left_out(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    contest = sold(point)
    factories.time_pass(hours=2)
    first = factories.races_of(contest)[0]
    factories.contest_closed(contest)
    factories.started(first, at=clock.now() - timedelta(hours=3))
    one, two = factories.two_organisers()
    proposal = breach_void(by=one, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    for race in factories.races_of(contest):
        factories.classified(race, [1])
    settlement = contest_settle(contest_id=contest.pk)
    assert settlement.tickets == 0
    log, tickets = published_log(), sealed_tickets(tmp_path, settlement)
    assert "The settlement holds" in run(tmp_path, log, settlement, tickets)
    kinds = ("lototrot.amendment",)
    walk = Walk(log, lambda other: run(tmp_path, other, settlement, tickets))
    assert walk.liars(*kinds) ^ vouched_for(*kinds) == set()
    without = next(each["document"] for each in log if each["kind"] == KIND)
    with pytest.raises(Refused, match=r"^lototrot\.settlement\.amendments: "):
        run(tmp_path, forged(log, KIND, without | {"amendments": []}), settlement)


@pytest.mark.article("14.III.4", "14.III.5.4.3")
def test_a_start_that_was_corrected_after_its_draw_is_said(
    point: factories.Point, tmp_path: Path
) -> None:
    """[C6, C9]: the minutes have the start of then, and a true settlement was refused."""
    contest = sold(point)
    factories.time_pass(minutes=2)
    earlier = clock.now()
    factories.time_pass(minutes=2)
    rounds.sell(contest, point, [(1,) * 7])
    suspended = Race(PROGRAMME, winners=frozenset({1}), outcome=Outcome.SUSPENDED)
    rounds.run(contest, [suspended, *[Race(PROGRAMME, winners=frozenset({1}))] * 6])
    first = contest_settle(contest_id=contest.pk)
    one, two = factories.two_stewards()
    race = factories.races_of(contest)[0]
    correction = start_correct(by=one, race_id=race.pk, actual_start_at=earlier, source="Film")
    two_persons.confirm(proposal=correction.uuid, by=two)
    one, two = factories.two_organisers()
    late = breach_void(by=one, contest_id=contest.pk)
    two_persons.confirm(proposal=late.uuid, by=two)
    second = contest_settle(contest_id=contest.pk)
    assert (first.tickets, second.tickets) == (61, 60)
    log, tickets = published_log(), sealed_tickets(tmp_path, second)
    assert "CORRECTED" not in run(tmp_path, log, first)
    answer = run(tmp_path, log, second, tickets)
    assert answer.startswith("The settlement holds")
    assert "; STARTS CORRECTED AFTER THE DRAW BEGAN: 1" in answer
    document = published_of(second)["document"]
    drawn, *others = document["races"]
    minutes = next(each["document"] for each in log if each["kind"] == "draws.minutes")
    lie = document | {"races": [drawn | {"started_at": minutes["declared_at"]}, *others]}
    with pytest.raises(Refused, match=r"races\[0\]\.started_at: not before the declaration"):
        run(tmp_path, forged(log, KIND, lie, about=str(second.uuid)), second)


def test_every_field_that_a_stranger_changes_is_refused_by_its_name(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    contest = settled(point)
    walk = Walk(published_log(), lambda other: run(tmp_path, other, contest))
    assert walk.strangers(KIND, "lototrot.opening", "lototrot.seal", "draws.minutes") > 1_000


def test_every_lie_of_the_operator_is_found_but_what_only_people_vouch_for(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    contest = settled(point)
    tickets = sealed_tickets(tmp_path, contest)
    walk = Walk(published_log(), lambda other: run(tmp_path, other, contest, tickets))
    kinds = (KIND, "lototrot.opening", "lototrot.seal")
    assert walk.liars(*kinds) ^ vouched_for(*kinds) == set()


def test_tickets_tell_on_an_operator_who_counts_wrong_or_changes_one(
    point: factories.Point, tmp_path: Path
) -> None:
    contest, log = settled(point), published_log()
    d = published_of(contest)["document"]
    counted = {7: 0, 6: 1, 5: 2, 4: 3}
    wrong = distribute(Takings(d["figures"]["takings"], counted, 0, 0, 0), rounds.rules())
    parts = organiser_share(rounds.NOON.date()).divide(wrong.organiser_share)
    organiser = d["organiser"] | {"parts": {str(p): cents for p, cents in parts.items()}}
    lying = forged(log, KIND, d | {"figures": wrong.to_document(), "organiser": organiser})
    assert "as the operator counted" in run(tmp_path, lying, contest)
    file = sealed_tickets(tmp_path, contest)
    with pytest.raises(Refused, match=r"^lototrot\.settlement\.figures\.winners: "):
        run(tmp_path, lying, contest, file)
    whole = Path(file).read_bytes()
    # The last byte is of the commitment to the last ticket's code; the first, of a field's length.
    for place in (len(whole) - 1, 5, 0):
        other = bytearray(whole)
        other[place] ^= 1
        Path(file).write_bytes(other)
        with pytest.raises(Refused, match=r"^TICKETS: "):
            run(tmp_path, log, contest, file)
    for other_length in (len(whole) - 1, len(whole) - 40):
        Path(file).write_bytes(whole[:other_length])
        with pytest.raises(Refused, match=r"^TICKETS: "):
            run(tmp_path, log, contest, file)


@pytest.mark.article("14.III.10.2")
def test_an_order_that_shortens_the_days_to_claim_is_refused(
    point: factories.Point, tmp_path: Path
) -> None:
    """D7: a late order moves the last day; a person who publishes the old one is found out."""
    contest = settled(point)
    factories.time_pass(days=10)
    one, two = factories.two_organisers()
    proposal = payment_order_propose(by=one, contest_id=contest.contest_id)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    log = published_log()
    assert run(tmp_path, log, contest).endswith("; payable until 2030-04-10.")
    kind = certificate.PAYMENT_ORDER
    true = next(each["document"] for each in log if each["kind"] == kind)
    for name, lie in (
        ("last_claim_day", "2030-04-01"),
        ("claim_days", 21),
        ("ordered_on", "2030-03-03"),
        ("results_day", "2030-02-20"),
        ("first_pay_day", "2030-03-12"),
        ("certificate", "00" * 32),
    ):
        with pytest.raises(Refused, match=r"^lototrot\.payment_order"):
            run(tmp_path, forged(log, kind, true | {name: lie}), contest)
    back = {"ordered_at": "2030-03-03T09:00:00.000000Z", "ordered_on": "2030-03-03"}
    consistent = forged(log, kind, true | back | {"last_claim_day": "2030-04-01"})
    with pytest.raises(Refused, match=r"^lototrot\.payment_order\.ordered_at: not when it was"):
        run(tmp_path, consistent, contest)


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
    assert undone and undone.document["certificate"] == digest_of(first)
    rounds.reclassify(factories.races_of(first.contest)[6], [2])
    second = contest_settle(contest_id=first.contest_id)
    assert published_of(second)["document"]["replaces"] == str(first.uuid)
    log = published_log()
    assert run(tmp_path, log, second, sealed_tickets(tmp_path, second)).startswith("The settlement")
    assert run(tmp_path, log, first).startswith("REVERSED since: ")
    one, two = factories.two_organisers()
    proposal = payment_order_propose(by=one, contest_id=first.contest_id)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    final = published(kind=certificate.PAYMENT_ORDER, subject=str(second.uuid))
    assert final and final.document["certificate"] == digest_of(second)
    kinds = list(
        LogEntry.objects.filter(kind__startswith="lototrot.")
        .order_by("pk")
        .values_list("kind", flat=True)
    )
    assert kinds == [
        "lototrot.opening",
        "lototrot.seal",
        CERTIFICATE,
        certificate.REVERSAL,
        CERTIFICATE,
        certificate.PAYMENT_ORDER,
    ]


def test_the_next_meeting_s_certificate_names_the_one_before(
    point: factories.Point, tmp_path: Path
) -> None:
    first = settled(point)
    proposal = payment_order_propose(
        by=(two := factories.two_organisers())[0], contest_id=first.contest_id
    )
    two_persons.confirm(proposal=proposal.uuid, by=two[1])
    rounds.later(1)
    second = settled(point)
    document = published_of(second)["document"]
    assert document["previous"] == digest_of(first)
    assert document["figures"]["jackpot_in"] == first.jackpot_out_cents
    assert document["figures"]["reserve_in"] == first.reserve_out_cents
    log = published_log()
    assert run(tmp_path, log, second)
    lies = {"previous": None, "figures": document["figures"] | {"reserve_in": 0}}
    for name, lie in lies.items():
        lying = forged(log, KIND, document | {name: lie}, about=str(second.uuid))
        with pytest.raises(Refused, match=r"^lototrot\.settlement\.(previous|figures\.\w+_in): "):
            run(tmp_path, lying, second)
