"""Check which contests, months and emissions the public log leaves out."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.database import clock
from core.staff.powers import Role
from lototrot.services.contest.closing import contest_close_due
from lototrot.services.contest.preparing import contest_change, contest_discard
from lototrot.services.contest.schedule import schedule_move
from lototrot.services.seal import sealing
from lototrot.services.seal.sealing import contest_seal
from tests.core.periods.conftest import closed, march_ended
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import forge
from tests.support.lototrot import putting_on_sale
from tests.support.lototrot.scheduling import postpone
from tests.support.verifying.forging import forged, public_key, published_log, written
from tests.support.verifying.load import verifier
from tests.verify.test_chain import Log, of

contests, forms = verifier("contests"), verifier("forms")
chain, entry = verifier("chain"), verifier("entry")
KIND, ORDER, REVERSAL, PERIOD = chain.KIND, chain.ORDER, contests.REVERSAL, contests.PERIOD
Item = tuple[str, str, dict[str, Any]]


def sealed(contest: int, **more: Any) -> Item:
    seal = {"contest": contest, "bet_type": "lototrot", "day": f"2030-03-{contest:02}"}
    sums = {"tickets": 3, "takings_cents": 300, "root": "ab"}
    return contests.SEAL, f"contest:{contest}", seal | sums | more


def settled(name: str, contest: int) -> Item:
    money = {"winning_tickets": 1, "figures": {"prizes_total": 180}}
    return KIND, name, {"settlement": name, "contest": contest, **money}


def row(contest: int, **more: Any) -> dict[str, Any]:
    _, _, seal = sealed(contest)
    names = ("contest", "day", "root", "tickets", "takings_cents")
    return {name: seal[name] for name in names} | {
        "winning_tickets": 1,
        "prizes_cents": 180,
        **more,
    }


def month(*rows: dict[str, Any], emissions: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    parts = {"lototrot": [*rows], "promotrot": [*emissions]}
    return {"number": 1, "first_day": "2030-03-01", "last_day": "2030-03-31", "parts": parts}


FIRST = (sealed(1), settled("a", 1), of("a", ORDER))


def test_each_contest_says_how_far_it_has_come() -> None:
    order = (ORDER, "a", {"last_claim_day": "2030-04-01"})
    log = Log(sealed(1), settled("a", 1), order, sealed(2), sealed(3), settled("c", 3))
    assert contests.became(log, 1) == "1.80 EUR in prizes, payable until 2030-04-01, settlement a"
    assert contests.became(log, 2) == "NOT SETTLED"
    assert contests.became(log, 3) == "NOT YET ORDERED"
    back = Log(sealed(3), settled("c", 3), of("c", REVERSAL))
    assert contests.became(back, 3) == "REVERSED, AND NOT SETTLED"


def test_a_jackpot_that_waits_for_a_meeting_that_never_comes_is_listed() -> None:
    """The organiser could sell a new bet type in the place of one with a large jackpot, and
    never end that one: no player could win its jackpot, and no verifier said so."""

    def left(name: str, code: str, day: str, jackpot: int) -> Item:
        figures = {"jackpot_out": jackpot, "reserve_out": 5}
        certificate = {"settlement": name, "rules": {"code": code}, "day": day, "figures": figures}
        return KIND, name, certificate

    old, new = left("a", "old", "2030-03-01", 15_000_000), left("b", "new", "2030-03-08", 0)
    and_wait = "and 0.05 EUR of reserve wait for the meeting after"
    reversed_ = left("c", "old", "2030-03-02", 7), of("c", REVERSAL)
    assert contests.carried(Log(old, *reversed_, new)) == [
        f"old: 150,000.00 EUR of jackpot {and_wait} 2030-03-01",
        f"new: 0.00 EUR of jackpot {and_wait} 2030-03-08",
    ]
    moves = [{"source": "jackpot", "bet_type": "next", "cents": 15_000_000}]
    end = chain.END, "old", {"bet_type": "old", "moves": moves}
    assert contests.carried(Log(old, end)) == [
        "next: 150,000.00 EUR of jackpot and 0.00 EUR of reserve wait for its first meeting"
    ]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "contests 1 are in the month or in the log alone"),
        ([row(1), row(2)], "contests 2 are in the month"),
        ([row(1), row(1)], "a contest twice"),
        ([row(1, takings_cents=299)], "takings_cents: should be 300"),
        ([row(1, prizes_cents=179)], "prizes_cents: should be 180"),
        ([row(1, winning_tickets=0)], "winning_tickets: should be 1"),
    ],
)
def test_a_month_has_every_contest_as_it_was_ordered(rows: list[Any], why: str) -> None:
    contests.check_month(Log(*FIRST), month(row(1)))
    with pytest.raises(forms.Refused, match=rf"^periods\.closed 2030-03.*{why}"):
        contests.check_month(Log(*FIRST), month(*rows))


def test_a_month_with_a_contest_that_waits_is_refused() -> None:
    with pytest.raises(forms.Refused, match="contest 2: not ordered"):
        contests.check_month(Log(*FIRST, sealed(2)), month(row(1), row(2)))


def test_a_month_without_a_contest_that_was_on_sale_is_refused() -> None:
    """A contest that is never sealed was known to its players alone."""
    _, subject, second = sealed(2)
    log = Log(*FIRST, (chain.OPENING, subject, second))
    with pytest.raises(forms.Refused, match="contests 2 are in the month or in the log alone"):
        contests.check_month(log, month(row(1)))
    with pytest.raises(forms.Refused, match=r"lototrot\.seal contest:2: not in the log"):
        contests.check_month(log, month(row(1), row(2)))


def test_a_month_has_every_emission_as_it_was_closed() -> None:
    closing = {"emission": "x/1", "shortfall_cents": 5, "owed_cents": 7}
    at = {"closed_at": "2030-03-09T10:00:00.000000Z"}
    log = Log((contests.CLOSING, "x/1", closing | at))
    contests.check_emissions(log, [month(emissions=(closing,))])
    for rows, why in (
        ((), "without x/1"),
        ((closing, closing), "in two months"),
        ((closing | {"owed_cents": 0},), "owed_cents: should be 7"),
        ((closing | {"emission": "x/2"},), "x/2: not in the log"),
    ):
        with pytest.raises(forms.Refused, match=why):
            contests.check_emissions(log, [month(emissions=rows)])


@pytest.mark.django_db
def test_the_log_of_closed_months_is_listed(tmp_path: Path) -> None:
    march_ended()
    closed()
    closed()
    log = published_log()
    listed = contests.check(written(tmp_path, "log.jsonl", log), public_key()).splitlines()
    openings = [each for each in log if each["kind"] == chain.OPENING]
    assert openings and len(listed) == 1 + len(openings) + 1
    assert listed[-1].startswith("two-legs: ") and "wait for the meeting after" in listed[-1]
    assert listed[0].endswith("; 2 months") and "payable until" in listed[1]
    true = next(each["document"] for each in log if each["kind"] == PERIOD)
    lie = true | {"parts": true["parts"] | {"lototrot": true["parts"]["lototrot"][1:]}}
    with pytest.raises(forms.Refused, match="in the month or in the log alone"):
        contests.check(written(tmp_path, "lie.jsonl", forged(log, PERIOD, lie)), public_key())


@pytest.mark.django_db
@pytest.mark.article("14.III.4")
def test_an_honest_log_lists_contests_from_their_opening_on(tmp_path: Path) -> None:
    """Drafts that are changed, moved or discarded, closings moved both ways, and no ticket sold."""
    by, noon = factories.staff(Role.ORGANISER), rounds.NOON

    def listed() -> list[str]:
        log = published_log()
        answer: str = contests.check(written(tmp_path, "log.jsonl", log), public_key())
        return answer.splitlines()

    factories.time_to(noon)
    of = putting_on_sale.created(by, factories.meeting(first_start_at=noon + timedelta(hours=3)))
    schedule_move(by=by, contest_id=of.pk, to_at=noon + timedelta(hours=2, minutes=50))
    contest_change(by=by, contest_id=of.pk, scheduled_close_at=noon + timedelta(hours=2))
    away = putting_on_sale.created(by, factories.meeting(day=noon.date() + timedelta(days=1)))
    contest_discard(by=by, contest_id=away.pk, reason="No meeting")
    assert listed() == ["LISTED: 0 contests, 0 without a payment order; 0 months"]
    putting_on_sale.opened(by, putting_on_sale.published(by, of))
    line = f"contest:{of.pk}, lototrot of {noon.date()}: on sale"
    assert listed()[1].startswith(f"{line} since ")
    assert listed()[1].endswith(f", until {noon.date()}T13:00:00.000000Z")
    schedule_move(by=by, contest_id=of.pk, to_at=noon + timedelta(hours=1))
    postpone(of, noon + timedelta(hours=3, minutes=20))
    assert listed()[1].endswith(f", until {noon.date()}T14:20:00.000000Z")
    factories.time_to(noon + timedelta(hours=5))
    _checkpoint()
    assert listed()[1] == f"{line} until {noon.date()}T14:20:00.000000Z, NOT SEALED"
    contest_close_due(contest_id=of.pk)
    contest_seal(contest_id=of.pk)
    assert listed()[1].startswith(line.replace("on sale", "0 tickets, 0.00 EUR, sealed"))
    assert listed()[1].endswith("; NOT SETTLED")


@pytest.mark.article("14.III.5.2")
def test_a_price_that_was_exchanged_after_the_sale_is_refused(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The organiser changes the row, seals it past the system's own check, and signs the seal."""
    contest = factories.contest_closed(factories.contest(), sealed=False)
    forge("UPDATE lototrot_contest SET price_cents = 50")
    monkeypatch.setattr(sealing, "need_as_opened", lambda contest: None)
    contest_seal(contest_id=contest.pk)
    log = written(tmp_path, "log.jsonl", published_log())
    assert verifier("public_log").check(log, public_key()).startswith("WHOLE")
    with pytest.raises(forms.Refused, match=r"^lototrot\.seal\.price_cents: should be 100$"):
        contests.check(log, public_key())


def _checkpoint() -> None:
    """Publish something later."""
    factories.contest(factories.meeting(first_start_at=clock.now() + timedelta(days=3)))
