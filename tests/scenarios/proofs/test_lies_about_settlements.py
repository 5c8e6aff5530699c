"""An operator who signs a lie about settlements is found out by a person who has the public log."""

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.database import clock
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.accounts import organiser_share
from lototrot.engine.bet_type import BetType
from lototrot.engine.distribution import Takings, distribute
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.selectors.published import CERTIFICATE
from lototrot.services.settlement import certificate
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories, rounds
from tests.support.verifying.forging import (
    Entries,
    Refused,
    forged,
    public_key,
    published_log,
    quick_signatures,
    signed,
    written,
)
from tests.support.verifying.load import verifier
from tests.support.verifying.settling import (
    FACTS,
    digest_of,
    published_of,
    run,
    sealed_tickets,
    settled,
    sold,
)

settlement, money, tickets = (verifier(name) for name in ("settlement", "money", "tickets"))
entry_digest = verifier("entry").digest
KIND = CERTIFICATE


@pytest.fixture
def point(db: None) -> factories.Point:
    factories.time_to(rounds.NOON)
    return factories.point()


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


def test_a_settlement_reversed_for_a_breach_says_so(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """C9: the bets were voided after it, and the next one counts the others."""
    quick_signatures(monkeypatch)
    contest = sold(point)
    factories.time_pass(hours=2)
    rounds.run(contest, FACTS)
    first = contest_settle(contest_id=contest.pk)
    voided_by_start(contest)
    second = contest_settle(contest_id=contest.pk)
    assert (first.tickets, second.tickets) == (60, 0)
    log = published_log()
    tickets = sealed_tickets(tmp_path, second)
    verdict = run(tmp_path, log, second, tickets)
    assert verdict.startswith("The settlement holds: ") and "WERE SOLD BEFORE" not in verdict
    assert run(tmp_path, log, first, tickets).startswith("REVERSED since: ")
    silent = [
        e for e in log if (e["kind"], e["subject"]) != (certificate.REVERSAL, str(first.uuid))
    ]
    silent = [e for e in silent if (e["kind"], e["subject"]) != (KIND, str(second.uuid))]
    monkeypatch.setattr(verifier("public_log"), "log_holds", lambda *_: "")
    with pytest.raises(Refused, match=r"amendments: tickets were voided since, and it stands"):
        run(tmp_path, silent, first, tickets)


@pytest.mark.article("14.III.1.4", "14.III.4")
def test_bets_in_time_that_a_false_start_voided_are_named(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """Two persons state a start too early, so that bets are voided, and correct it (ADR 70): the
    voids stay, and everybody is told of them.
    """
    quick_signatures(monkeypatch)
    contest = sold(point)
    factories.time_pass(hours=2)
    rounds.run(contest, FACTS)
    true_start = factories.races_of(contest)[0].starts.get().actual_start_at
    voided_by_start(contest)
    restated(contest, true_start)
    of = contest_settle(contest_id=contest.pk)
    verdict = run(tmp_path, published_log(), of, sealed_tickets(tmp_path, of))
    assert "; 60 VOIDED AS SOLD AFTER THE START WERE SOLD BEFORE IT" in verdict


def restated(contest: Contest, at: datetime) -> None:
    race, (one, two) = factories.races_of(contest)[0], factories.two_stewards()
    proposal = start_correct(by=one, race_id=race.pk, actual_start_at=at, source="Film")
    two_persons.confirm(proposal=proposal.uuid, by=two)


def voided_by_start(contest: Contest) -> None:
    """Move the start to before all bets, and void them."""
    restated(contest, clock.now() - timedelta(hours=3))
    one, two = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=one, contest_id=contest.pk).uuid, by=two)


@pytest.mark.article("14.III.4")
def test_a_ticket_that_was_sold_after_the_start_is_not_counted(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """C6: the certificate names the start that everybody saw, the sealed tickets their times."""
    quick_signatures(monkeypatch)
    of = settled(point)
    log, file = published_log(), sealed_tickets(tmp_path, of)
    true = published_of(of)["document"]
    starts = [race["started_at"] for race in true["races"]]
    assert starts[2] is None and all(each > "2030-03-02" for each in starts if each)
    assert run(tmp_path, log, of, file).startswith("The settlement holds: ")
    seen = [dict(race) for race in true["races"]]
    seen[4]["started_at"] = "2030-03-02T10:59:59.000000Z"
    with pytest.raises(Refused, match="ticket 0 counts, and was sold after the start"):
        run(tmp_path, forged(log, KIND, true | {"races": seen}), of, file)
    for place, at, why in (
        (0, None, "missing, or of a race that was not run"),
        (2, starts[0], "missing, or of a race that was not run"),
        (0, true["races"][0]["official_at"], "not before the result"),
    ):
        races = [dict(race) for race in true["races"]]
        races[place]["started_at"] = at
        with pytest.raises(Refused, match=rf"races\[{place}\]\.started_at: {why}"):
            run(tmp_path, forged(log, KIND, true | {"races": races}), of)


def test_tickets_that_were_sealed_after_a_result_are_named(
    point: factories.Point, tmp_path: Path
) -> None:
    """The tickets may be true; but who sealed them knew already which of them win."""
    of = settled(point)
    log, true = published_log(), published_of(of)["document"]
    assert "SEALED ONLY AFTER" not in run(tmp_path, log, of)
    early = [dict(race) for race in true["races"]]
    early[4] |= {
        "started_at": "2030-03-02T10:00:00.000000Z",
        "official_at": "2030-03-02T10:05:00.000000Z",
    }
    late = forged(log, KIND, true | {"races": early})
    assert "; SEALED ONLY AFTER A RESULT" in run(tmp_path, late, of)


def test_tickets_that_were_sealed_after_balls_were_drawn_are_named(
    point: factories.Point, tmp_path: Path
) -> None:
    """[B16]: the balls are entered and certified later; everybody present saw them before."""
    contest = sold(point)
    first, *others = factories.races_of(contest)
    factories.contest_closed(contest, sealed=False)
    factories.declared(first)
    factories.drawn(first, 1, down_s=600)
    for race in others:
        factories.classified(race, {1})
    of = contest_settle(contest_id=contest.pk)
    assert "; SEALED ONLY AFTER A RESULT" in run(tmp_path, published_log(), of)


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
        previous = digest_of(before) if before else None
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
    digest = digest_of(second)
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
    """5.4.2: an organiser who dislikes the drawn order could say that the race was run."""
    first = settled(point)
    log, true = published_log(), published_of(first)["document"]
    races = [dict(race) for race in true["races"]]
    races[2] |= {"outcome": "run", "draw": None, "started_at": races[1]["started_at"]}
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


@pytest.mark.article("14.III.9.5")
def test_a_meeting_that_was_sold_is_not_passed_over(
    point: factories.Point, tmp_path: Path, monkeypatch: Any
) -> None:
    """Sealed and never settled, its takings and its jackpot would go to no player [A4]."""
    quick_signatures(monkeypatch)
    first = settled(point)
    one, two = factories.two_organisers()
    proposal = payment_order_propose(by=one, contest_id=first.contest_id)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    rounds.later(1)
    second = settled(point)
    log, file = published_log(), sealed_tickets(tmp_path, second)
    assert run(tmp_path, log, second, file).startswith("The settlement holds: ")
    kinds = (KIND, certificate.PAYMENT_ORDER)
    gone = [e["kind"] in kinds and e["subject"] == str(first.uuid) for e in log]
    left = [
        signed(each | {"kind": f"of_no_use.{each['kind']}"}) if is_gone else each
        for each, is_gone in zip(log, gone, strict=True)
    ]
    alone = published_of(second)["document"] | {"previous": None}
    lie = forged(left, KIND, recounted(alone, file, rounds.rules()))
    why = f"contest {first.contest_id} of {first.contest.day} was on sale, and is not settled"
    with pytest.raises(Refused, match=why):
        run(tmp_path, lie, second, file)
