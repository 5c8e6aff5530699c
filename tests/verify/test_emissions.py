"""List emissions from outside: a shuffle that nobody played is seen, and no lie hides it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.kernel.canonical import canonical_sha256
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.services import publications
from promotrot.services.closing import seed_reveal
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.emissions import emission_get
from tests.support import emitting, factories
from tests.support.verifying.forging import (
    Entries,
    Refused,
    forged,
    public_key,
    published_log,
    written,
)
from tests.support.verifying.load import FOLDER, verifier

emissions = verifier("emissions")
pytestmark = pytest.mark.django_db


class Bare(verifier("public_log").Log):
    """A log of some entries in the given order, not checked."""

    def __init__(self, entries: Entries) -> None:
        numbered = (each | {"sequence": at} for at, each in enumerate(entries))
        self.entries = {(each["kind"], each["subject"]): each for each in numbered}


def looked_at(code: str = "small") -> Emission:
    """Return an emission whose key can be computed by who has its seed."""
    planned = emitting.planned(emitting.approved(emitting.small(code)))
    return emitting.witnessed(emitting.committed(planned))


def thrown_away() -> Emission:
    """Return an emission that was looked at, and whose game was ended then."""
    emission = looked_at()
    by = factories.staff(Role.ORGANISER)
    emitting.both(game_end_propose(by=by, game=emission.game))
    return emission_get(emission.reference)


def listed(folder: Path, log: Entries | None = None) -> str:
    file = written(folder, "log.jsonl", log or published_log())
    answer: str = emissions.check(file, public_key())
    return answer


@pytest.mark.article("15.II.2")
def test_a_shuffle_that_was_thrown_away_for_another_is_seen(tmp_path: Path) -> None:
    """Under another code nothing else tells it from one that was played."""
    first = thrown_away()
    assert ": 1\nsmall/1: NEVER PUT ON SALE, its game ended" in listed(tmp_path)
    assert "seed NOT PUBLISHED" in listed(tmp_path)
    assert seed_reveal(emission=first) and not seed_reveal(emission=first)
    second = emitting.opened(emitting.small("other"))
    one, other = listed(tmp_path).splitlines()[1:]
    plan = f"plan {first.approval.plan_digest[:16]}"
    assert one.endswith(plan) and other.endswith(plan)
    assert other.startswith("other/1: on sale since")
    emitting.sold_and_played(second, 2)
    assert seed_reveal(emission=emitting.closed(second))
    assert "other/1: closed" in listed(tmp_path)
    done = subprocess.run(
        [sys.executable, "-S", str(FOLDER / "emissions.py"), "log.jsonl", public_key()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={},
    )
    assert "LISTED: 2 emissions; committed to and not put on sale: 1" in done.stdout, done.stderr


def test_one_that_still_waits_is_listed_as_such(tmp_path: Path) -> None:
    emission = emitting.committed(emitting.planned(emitting.approved(emitting.small())))
    assert "small/1: NOT PUT ON SALE, committed to" in listed(tmp_path)
    emitting.witnessed(emission)
    assert "small/1: NOT PUT ON SALE, witnessed" in listed(tmp_path)
    emitting.open_now(emission_get("small/1"))
    assert "not put on sale: 0\nsmall/1: on sale since" in listed(tmp_path)


def test_a_probabilistic_emission_is_listed_without_a_plan(tmp_path: Path) -> None:
    emission = emitting.opened(emitting.document("five-stalls"))
    emitting.closed(emission)
    line = listed(tmp_path).splitlines()[1]
    assert line.startswith("five-stalls/1: closed")
    assert line.endswith(", probabilistic, 73.80 % by its odds")
    assert "plan" not in line


@pytest.mark.article("15.III.6.2")
def test_the_sums_of_every_closing_are_checked_of_probabilistic_games_too(tmp_path: Path) -> None:
    """Nothing is dealt there, so verify/emission.py does not read it; the debt is real."""
    point, game = factories.point(), emitting.approved(emitting.document("trotters-ladder"))
    for _ in range(2):
        terms = {"extra_tier": 5} if game.closings.exists() else {}
        emission = emitting.opened(game, **terms)
        emitting.sold(emission, 20, point)
        emitting.closed(emission)
    log = published_log()
    assert "trotters-ladder/2: closed" in listed(tmp_path)
    closings = [entry(log, "closing", f"trotters-ladder/{number}") for number in (1, 2)]
    first, second = (each["document"] for each in closings)
    assert 0 < first["owed_cents"] == second["owed_before_cents"]
    for number, true, lie, field in (
        (1, first, {"shortfall_cents": 0, "owed_cents": 0}, "shortfall_cents"),
        (1, first, {"owed_cents": 0}, "owed_cents"),
        (1, first, {"minimum_percent": 60}, "minimum_percent"),
        (2, second, {"owed_before_cents": 0, "owed_cents": second["shortfall_cents"]}, "owed_be"),
    ):
        content = {name: value for name, value in true.items() if name != "digests"}
        about = f"trotters-ladder/{number}"
        with pytest.raises(Refused, match=rf"promotrot\.closing\.{field}"):
            listed(tmp_path, forged(log, publications.CLOSING, content | lie, about))


def entry(log: Entries, name: str, about: str = "small/1") -> dict[str, Any]:
    return next(e for e in log if (e["kind"], e["subject"]) == (f"promotrot.{name}", about))


def moved(log: Entries, name: str, before: str) -> Entries:
    """Return the log with an entry before another one."""
    one, other = entry(log, name), entry(log, before)
    rest = [each for each in log if each is not one]
    at = rest.index(other)
    return [*rest[:at], one, *rest[at:]]


def without(log: Entries, name: str) -> Entries:
    return [each for each in log if each is not entry(log, name)]


def again(log: Entries, name: str, about: str) -> dict[str, Any]:
    """Return an entry as it would be about another emission."""
    true = entry(log, name)
    return true | {"subject": about, "document": true["document"] | {"emission": about}}


LIES: list[tuple[Callable[[Entries], Entries], str]] = [
    (lambda log: moved(log, "opening", "entropy"), "opening.sequence: published too early"),
    (lambda log: moved(log, "closing", "opening"), "closing.sequence: published too early"),
    (lambda log: moved(log, "seed", "closing"), "seed.sequence: published too early"),
    (lambda log: without(log, "opening"), "closing small/1: without promotrot.opening"),
    (lambda log: without(log, "closing"), "seed small/1: published before the emission was over"),
    (lambda log: without(log, "commitment"), "entropy small/1: without promotrot.commitment"),
    (lambda log: without(log, "entropy"), "opening small/1: without promotrot.entropy"),
    (lambda log: [*log, again(log, "commitment", "small/3")], "small/1, small/3: one is missing"),
    (
        lambda log: [again(log, "commitment", "small/2"), *log],
        "small/2, small/1: one is missing",
    ),
    (
        lambda log: [*without(log, "opening")[:-2], again(log, "commitment", "small/2")],
        "promotrot small/2: small/1 was never put on sale",
    ),
]


@pytest.mark.article("15.II.2", "15.III.3")
@pytest.mark.parametrize("mode", ["predrawn", "both"])
def test_a_pre_drawn_emission_without_a_commitment_is_refused(tmp_path: Path, mode: str) -> None:
    """Nobody could tell it from one whose prizes are drawn as it is played."""
    emitting.opened(emitting.document("five-stalls"))
    log = published_log()
    true = entry(log, "opening", "five-stalls/1")["document"]
    content = {name: value for name, value in true.items() if name != "digests"}
    with pytest.raises(Refused, match=r"promotrot\.opening\.mode"):
        listed(tmp_path, forged(log, publications.OPENING, content | {"mode": mode}))


@pytest.mark.article("15.II.2", "15.III.6.2")
def test_a_pre_drawn_emission_has_a_table_besides_extra_prizes(tmp_path: Path) -> None:
    """Extra prizes alone have no minimum, and leave it to the players what is awarded."""
    emitting.opened(emitting.small())
    log = published_log()
    committed = entry(log, "commitment")["document"]
    plan = committed["plan"]
    tiers = [tier | {"extra": True} for tier in plan["tiers"]]
    lie = committed | {"plan": plan | {"tiers": tiers}}
    lie |= {"plan_digest": canonical_sha256(lie["plan"]).hex()}
    del lie["digests"]
    with pytest.raises(Refused, match=r"promotrot\.opening\.mode: should be"):
        listed(tmp_path, forged(log, publications.COMMITMENT, lie))


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    ("name", "lie"),
    [
        ("opening", {"tickets": 41}),
        ("opening", {"price_cents": 99}),
        ("plan", {"cash_cents": 401}),
        ("plan", {"count": 1}),
    ],
)
def test_all_emissions_of_a_game_have_its_four_factors(name: str, lie: dict[str, Any]) -> None:
    """Another price, number or table is another game, whose debt is its own."""
    first = emitting.opened(emitting.small())
    emitting.sold_and_played(first, 40)
    emitting.opened(emitting.closed(first).game)
    log = published_log()
    assert [*emissions.check_game(Bare(log), "small")] == ["small/1", "small/2"]
    second = {each: entry(log, each, "small/2")["document"] for each in ("opening", "commitment")}
    plan = second["commitment"]["plan"]
    if name == "opening":
        plan |= lie
        second["opening"] |= lie
        second["commitment"] |= {"tickets": plan["tickets"]}
    else:
        plan["tiers"][0] |= lie
    second["commitment"] |= {"plan_digest": canonical_sha256(plan).hex()}
    with pytest.raises(Refused, match="small/2: other factors than small/1"):
        emissions.check_game(Bare(log), "small")


@pytest.mark.article("15.II.2")
def test_the_next_emission_is_published_after_the_one_before_was_put_on_sale() -> None:
    """Otherwise two keys could be looked at, and the one that suits be sold first."""
    first = emitting.opened(emitting.small())
    emitting.opened(first.game)
    log = published_log()
    assert [*emissions.check_game(Bare(log), "small")] == ["small/1", "small/2"]
    second = [each for each in log if each["subject"] == "small/2"]
    others = [each for each in log if each not in second]
    at = others.index(entry(log, "opening"))
    with pytest.raises(Refused, match=r"commitment\.sequence: published too early"):
        emissions.check_game(Bare([*others[:at], *second, *others[at:]]), "small")


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(("lie", "why"), LIES, ids=[why for _, why in LIES])
def test_entries_that_cannot_be_of_one_emission_are_refused(
    lie: Callable[[Entries], Entries], why: str
) -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 1)
    seed_reveal(emission=emitting.closed(emission))
    log = published_log()
    assert [*emissions.check_game(Bare(log), "small")] == ["small/1"]
    with pytest.raises(Refused, match=why):
        emissions.check_game(Bare(lie(log)), "small")


@pytest.mark.article("15.III.5.1", "15.III.6.2")
def test_an_emission_is_closed_on_the_terms_on_which_it_was_sold(tmp_path: Path) -> None:
    """The organiser could lower the percentage, or exchange the prizes of a game that lie on
    no ticket, once the tickets were sold: nothing of them was published before."""
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder"))
    emitting.sold(first, 3, point)
    game = emitting.closed(first).game
    emitting.opened(game, extra_tier=6)
    log = published_log()
    opened = [each for each in log if each["kind"] == publications.OPENING]
    tiers = first.tiers.order_by("number")
    table = [{"cents": tier.value_cents, "thing": tier.thing} for tier in tiers]
    assert [each["document"]["table"] for each in opened] == [table, table]
    assert opened[0]["document"]["stop_without_top"] is False
    assert "on sale since" in listed(tmp_path, log)
    true = {n: v for n, v in opened[0]["document"].items() if n != "digests"}
    for lie, why in (
        ({"table": [each | {"cents": 1} for each in table]}, r"opening\.mechanic: it gives"),
        ({"table": [table[0] | {"cents": 9_999}, *table[1:]]}, "other factors than"),
        ({"table": table[1:]}, r"opening\.mechanic|other factors than"),
        ({"mechanic": _with_chance(true["mechanic"], 40)}, "other factors than"),
        ({"mechanic": _with_chance(true["mechanic"], 34)}, r"mechanic: it gives 68\.00 %"),
        ({"mechanic": None}, r"opening\.mechanic"),
    ):
        with pytest.raises(Refused, match=why):
            listed(tmp_path, forged(log, publications.OPENING, true | lie))
    lower = opened[0] | {"document": true | {"minimum_percent": 71}}
    with pytest.raises(Refused, match=r"closing\.minimum_percent: should be 71"):
        emissions.check_game(Bare([lower if e == opened[0] else e for e in log]), game.code)


def _with_chance(mechanic: dict[str, Any], up: int) -> dict[str, Any]:
    """Return a ladder with another chance of its first step, in fifty cases."""
    first, *others = mechanic["rungs"]
    way = first["ways"][0] | {"up": up}
    return mechanic | {"rungs": [first | {"ways": [way]}, *others]}


def test_what_was_thrown_away_is_published_with_its_true_seed(tmp_path: Path) -> None:
    emission = thrown_away()
    seed_reveal(emission=emission)
    log = published_log()
    for kind, lie, why in (
        (publications.SEED, {"seed": "00" * 32}, r"seed\.seed: not the one committed to"),
        (publications.SEED, {"sold": 1}, r"seed\.sold: should be 0"),
        (publications.ABANDONED, {"abandoned_at": "2020-01-01T00:00:00.000000Z"}, "before its"),
    ):
        true = entry(log, kind.partition(".")[2])["document"]
        content = {name: value for name, value in true.items() if name != "digests"}
        with pytest.raises(Refused, match=why):
            listed(tmp_path, forged(log, kind, content | lie))


def test_what_was_thrown_away_was_never_sold_and_is_the_one_committed_to() -> None:
    thrown_away()
    log = published_log()
    abandoned = entry(log, "abandoned")
    terms = {"mode": "predrawn", "tickets": 40, "price_cents": 100, "table": []}
    terms |= {"minimum_percent": 70, "mechanic": None}
    terms["opened_at"] = abandoned["document"]["abandoned_at"]
    opening = abandoned | {
        "kind": publications.OPENING,
        "document": abandoned["document"] | terms,
    }
    with pytest.raises(Refused, match="abandoned small/1: it was put on sale"):
        emissions.check_game(Bare([*without(log, "abandoned"), opening, abandoned]), "small")
    other = abandoned | {"document": abandoned["document"] | {"commitment": None}}
    with pytest.raises(Refused, match=r"abandoned\.commitment: should be"):
        emissions.check_game(Bare([*without(log, "abandoned"), other]), "small")
