"""Run verify/settlement.py on worked cases, on real settlements, and on false certificates."""

import json
import random
from collections import Counter
from datetime import date, timedelta
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
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services.races.starts import start_correct
from lototrot.services.settlement import certificate
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.api import Api, staff_api
from tests.support.verifying.forging import (
    Entries,
    Refused,
    Walk,
    forged,
    public_key,
    published_log,
    quick_signatures,
    signed,
    vouched_for,
    written,
)
from tests.support.verifying.load import verifier

settlement, money, tickets = (verifier(name) for name in ("settlement", "money", "tickets"))
races_of_law = verifier("races")
entry_digest = verifier("entry").digest
KIND = certificate.CERTIFICATE
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


PROGRAMME = tuple(range(1, 9))


def sold(point: factories.Point, number: int = 60) -> Contest:
    """A contest of seven races with tickets of all sorts."""
    new_contest = rounds.contest(rounds.rules(), [PROGRAMME] * 7)
    chance = random.Random(7)  # the same tickets in every run
    tickets = [
        [
            sum(1 << (n - 1) for n in chance.sample(range(1, 4), chance.choice((1, 1, 2))))
            for _ in range(7)
        ]
        for _ in range(number)
    ]
    rounds.sell(new_contest, point, tickets)
    return new_contest


FACTS = [
    Race(PROGRAMME, withdrawn=frozenset({1}), winners=frozenset({2})),
    Race(PROGRAMME, winners=frozenset({1, 2})),
    Race(PROGRAMME, withdrawn=frozenset({3}), winners=frozenset({1}), outcome=Outcome.NOT_RUN),
    *[Race(PROGRAMME, winners=frozenset({1}))] * 4,
]


def settled(point: factories.Point) -> Settlement:
    contest = sold(point)
    rounds.run(contest, FACTS)
    return contest_settle(contest_id=contest.pk)


def published_of(of: Settlement) -> dict[str, Any]:
    return certificate.certificate_of(of).published()


def sealed_tickets(folder: Path, of: Settlement) -> str:
    response = staff_api(Role.AUDITOR).get(f"lototrot/contests/{of.contest_id}/sealed-tickets")
    assert response.status_code == 200
    file = folder / "tickets"
    file.write_bytes(b"".join(response.streaming_content))
    return str(file)


def run(folder: Path, log: Entries, of: Settlement, *tickets: str) -> str:
    """Verify a settlement by that log, with the file of its tickets if that is given."""
    file = written(folder, "log.jsonl", log)
    answer: str = settlement.check(file, public_key(), str(of.uuid), *tickets)
    return answer


@pytest.mark.article("14.III.9.1", "14.III.9.7")
def test_a_true_certificate_holds_and_so_do_its_tickets(
    point: factories.Point, tmp_path: Path
) -> None:
    contest, log = settled(point), published_log()
    assert "as the operator counted them" in run(tmp_path, log, contest)
    assert "over 60 sealed tickets" in run(
        tmp_path, log, contest, sealed_tickets(tmp_path, contest)
    )
    assert Api().get(f"lototrot/contests/{contest.contest_id}/certificate").json() in log


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


def test_every_field_that_a_stranger_changes_is_refused_by_its_name(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    contest = settled(point)
    walk = Walk(published_log(), lambda other: run(tmp_path, other, contest))
    assert walk.strangers(KIND, "lototrot.seal", "draws.minutes") > 1_000


def test_every_lie_of_the_operator_is_found_but_what_only_people_vouch_for(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    contest = settled(point)
    tickets = sealed_tickets(tmp_path, contest)
    walk = Walk(published_log(), lambda other: run(tmp_path, other, contest, tickets))
    kinds = (KIND, "lototrot.seal")
    assert walk.liars(*kinds) ^ vouched_for(*kinds) == set()


def recounted(d: dict[str, Any], file: str, rules: BetType) -> dict[str, Any]:
    """Return a certificate whose figures are those of its races, rules and sealed tickets."""
    right = [sum(1 << (n - 1) for n in race["right"]) for race in d["races"]]
    won, winning = Counter[int](), 0
    for _, fields in tickets.leaves(file, len(right)):
        masks = [int.from_bytes(field, "big") for field in fields[5:-1]]
        hits = tickets.winning_bets(masks, right)
        won.update(hits)
        winning += any(hits[category] for category in rules.categories)
    takings = Takings(
        d["figures"]["takings"], {category: won[category] for category in rules.categories}, 0, 0, 0
    )
    money_divided = distribute(takings, rules)
    parts = organiser_share(rounds.NOON.date()).divide(money_divided.organiser_share)
    organiser = d["organiser"] | {"parts": {str(part): cents for part, cents in parts.items()}}
    figures = {"figures": money_divided.to_document(), "organiser": organiser}
    return d | figures | {"winning_tickets": winning, "rules": rules.to_document()}


@pytest.mark.article("14.II.3", "14.III.6.1")
def test_the_terms_of_the_bets_are_not_chosen_after_the_races(
    point: factories.Point, tmp_path: Path
) -> None:
    """Whose ticket wins would follow from the order of the races, the field, and the rules."""
    first = settled(point)
    log, file = published_log(), sealed_tickets(tmp_path, first)
    true = published_of(first)["document"]
    assert recounted(true, file, rounds.rules()) == true
    races = [dict(race) for race in true["races"]]
    for name in races[0].keys() - {"position"}:
        races[0][name], races[1][name] = races[1][name], races[0][name]
    fewer = [dict(race) for race in true["races"]]
    fewer[4] |= {"programme": [*range(1, 8)], "right": [1]}
    shares = {"7": 40, "6": 20, "5": 20, "4": 20}
    other = rounds.rules(shares_below=shares | {"reserve": 0})
    for change, rules, named in (
        ({"races": races}, rounds.rules(), "legs"),
        ({"races": fewer}, rounds.rules(), "legs"),
        ({}, other, "rules"),
    ):
        lie = recounted(true | change, file, rules)
        with pytest.raises(Refused, match=rf"^lototrot\.seal\.{named}: "):
            run(tmp_path, forged(log, KIND, lie), first, file)


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
    assert final and final.document["certificate"] == _digest(second)
    kinds = list(
        LogEntry.objects.filter(kind__startswith="lototrot.")
        .order_by("pk")
        .values_list("kind", flat=True)
    )
    assert kinds == [
        "lototrot.seal",
        certificate.CERTIFICATE,
        certificate.REVERSAL,
        certificate.CERTIFICATE,
        certificate.PAYMENT_ORDER,
    ]


def _digest(of: Settlement) -> str:
    return bytes(certificate.certificate_of(of).digest).hex()


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
    assert document["previous"] == _digest(first)
    assert document["figures"]["jackpot_in"] == first.jackpot_out_cents
    assert document["figures"]["reserve_in"] == first.reserve_out_cents
    log = published_log()
    assert run(tmp_path, log, second)
    lies = {"previous": None, "figures": document["figures"] | {"reserve_in": 0}}
    for name, lie in lies.items():
        lying = forged(log, KIND, document | {name: lie}, about=str(second.uuid))
        with pytest.raises(Refused, match=r"^lototrot\.settlement\.(previous|figures\.\w+_in): "):
            run(tmp_path, lying, second)


def test_a_settlement_reversed_for_a_breach_says_so(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """C9: the bets were voided after it, and the next one counts the others."""
    quick_signatures(monkeypatch)
    contest = sold(point)
    factories.time_pass(hours=2)
    rounds.run(contest, FACTS)
    first = contest_settle(contest_id=contest.pk)
    race, (one, two) = factories.races_of(contest)[0], factories.two_stewards()
    earlier = clock.now() - timedelta(hours=3)
    proposal = start_correct(by=one, race_id=race.pk, actual_start_at=earlier, source="Film")
    two_persons.confirm(proposal=proposal.uuid, by=two)
    one, two = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=one, contest_id=contest.pk).uuid, by=two)
    second = contest_settle(contest_id=contest.pk)
    assert (first.tickets, second.tickets) == (60, 0)
    log = published_log()
    tickets = sealed_tickets(tmp_path, second)
    assert run(tmp_path, log, second, tickets).startswith("The settlement holds: ")
    assert run(tmp_path, log, first, tickets).startswith("REVERSED since: ")
    silent = [
        e for e in log if (e["kind"], e["subject"]) != (certificate.REVERSAL, str(first.uuid))
    ]
    silent = [e for e in silent if (e["kind"], e["subject"]) != (KIND, str(second.uuid))]
    monkeypatch.setattr(verifier("public_log"), "log_holds", lambda *_: "")
    with pytest.raises(Refused, match=r"amendments: tickets were voided since, and it stands"):
        run(tmp_path, silent, first, tickets)


# --- One history of a chain -----------------------------------------------------------------------


def ordered(of: Settlement) -> None:
    one, two = factories.two_organisers()
    proposal = payment_order_propose(by=one, contest_id=of.contest_id)
    two_persons.confirm(proposal=proposal.uuid, by=two)


def added(log: Entries, entry: dict[str, Any], subject: str, **changes: Any) -> Entries:
    """Return the log with one more entry at its end, as the operator would sign it."""
    last = {"sequence": len(log) + 1, "previous": entry_digest(log[-1]), "subject": subject}
    return [*log, signed(entry | last, **changes)]


def entry_of(log: Entries, kind: str, of: Settlement) -> dict[str, Any]:
    return next(each for each in log if (each["kind"], each["subject"]) == (kind, str(of.uuid)))


ANOTHER = "0190a6c8-5f6e-7000-8000-000000000001"


def test_a_chain_that_passes_over_a_meeting_or_begins_anew_is_refused(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """A4: the jackpot of the meeting between would belong to nobody."""
    quick_signatures(monkeypatch)
    meetings = []
    for _ in range(3):
        meetings.append(settled(point))
        ordered(meetings[-1])
        rounds.later(1)
    first, _, last = meetings
    log = published_log()
    assert run(tmp_path, log, last).startswith("The settlement holds")
    true = entry_of(log, KIND, last)["document"]
    for before in (first, None):
        carried = (before.jackpot_out_cents, before.reserve_out_cents) if before else (0, 0)
        f = true["figures"]
        figures = f | {"jackpot_in": carried[0], "reserve_in": carried[1]}
        figures |= money.figures(true["rules"], figures)
        previous = _digest(before) if before else None
        lie = true | {"figures": figures, "previous": previous}
        with pytest.raises(Refused, match=r"^lototrot\.settlement\.previous: "):
            run(tmp_path, forged(log, KIND, lie, about=str(last.uuid)), last)


def test_a_second_settlement_of_a_contest_that_stands_is_refused(
    point: factories.Point, tmp_path: Path
) -> None:
    """B14: of two with other winners the operator would show to each the one that suits."""
    first, log = settled(point), published_log()
    ident = str(first.uuid)
    for number, replaces, named in ((1, None, "number"), (2, None, "replaces"), (2, ident, "rep")):
        other = {"settlement": ANOTHER, "number": number, "replaces": replaces}
        twice = added(log, entry_of(log, KIND, first), ANOTHER, **other)
        for each in (ident, ANOTHER):
            with pytest.raises(Refused, match=rf"^lototrot\.settlement\.{named}"):
                settlement.check(written(tmp_path, "log.jsonl", twice), public_key(), each)


def test_a_settlement_is_reversed_or_ordered_and_never_both(
    point: factories.Point, tmp_path: Path
) -> None:
    """14.III.8.2: after the order no later change has any effect."""
    first = settled(point)
    settlement_reverse(contest_id=first.contest_id, by=factories.staff(Role.STEWARDS))
    second = contest_settle(contest_id=first.contest_id)
    ordered(second)
    log = published_log()
    reversal = entry_of(log, certificate.REVERSAL, first)
    digest = _digest(second)
    both = added(log, reversal, str(second.uuid), settlement=str(second.uuid), certificate=digest)
    with pytest.raises(Refused, match=r"^lototrot\.settlement_reversal: "):
        run(tmp_path, both, second)


def test_an_order_with_fewer_days_than_the_law_s_is_refused(
    point: factories.Point, tmp_path: Path
) -> None:
    """14.III.10.2: thirty natural days, whatever the order names and counts from."""
    first = settled(point)
    ordered(first)
    log, kind = published_log(), certificate.PAYMENT_ORDER
    true = entry_of(log, kind, first)["document"]
    day = date.fromisoformat(true["last_claim_day"]) - timedelta(days=23)
    lie = true | {"claim_days": 7, "last_claim_day": day.isoformat()}
    with pytest.raises(Refused, match=r"^lototrot\.payment_order\.claim_days: "):
        run(tmp_path, forged(log, kind, lie), first)


def test_a_result_is_not_that_of_a_race_which_was_drawn(
    point: factories.Point, tmp_path: Path
) -> None:
    """5.4.2: who does not like the order of the draw could say that the race was run."""
    first = settled(point)
    log, true = published_log(), published_of(first)["document"]
    races = [dict(race) for race in true["races"]]
    races[2] |= {"outcome": "run", "draw": None}
    with pytest.raises(Refused, match=r"^lototrot\.settlement\.races\[2\]\.outcome: "):
        run(tmp_path, forged(log, KIND, true | {"races": races}), first)


def test_a_draw_that_was_not_of_the_sealed_contest_is_refused(
    point: factories.Point, tmp_path: Path
) -> None:
    """5.4.2: bets would be sealed when the order is known."""
    first = settled(point)
    log, kind = published_log(), "draws.minutes"
    minutes = next(each["document"] for each in log if each["kind"] == kind)
    lie = minutes | {"facts": minutes["facts"] | {"contests": []}}
    with pytest.raises(Refused, match=r"^draws\.minutes\.facts\.contests: "):
        run(tmp_path, forged(log, kind, lie), first)
