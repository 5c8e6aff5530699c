"""Tell the public draw of a race that is not run, and hold every check from outside to its word."""

from pathlib import Path
from typing import Any, cast

import pytest

from core.tools.raceday.outside import Check, Outsider
from core.tools.raceday.stage import Amiss, Stage
from lototrot.raceday import drawing
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from tests.support.lototrot.answering import Answers, Turns, problem, stage_of

RACE = "lototrot/races/3"
DRAW = "draws/d"
ENTROPY = f"{DRAW}/entropy"
DRAWN = {"order": ["5", "2", "8"]}


def draw(**changes: Any) -> Answers:
    """Return a system with a draw of three numbers, with the answers changed as given."""
    place = {"planned_at": "2027-04-11T18:30:00+00:00", "place": "Oficina", "draw": "d"}
    committed = {"entries": ["2", "5", "8"], "commitment": "ab" * 32}
    replies: dict[str, Any] = {
        "clock": None,
        f"{RACE}/declaration": {"proposal": "p"},
        "proposals/p/confirmation": None,
        "lototrot/terminal/contests": {"draws": [place]},
        f"{DRAW}/attendance": None,
        f"{DRAW}/commitment": Turns([problem("draw_before_announced"), committed]),
        ENTROPY: Turns([DRAWN, problem("entropy_given")]),
        f"{DRAW}/certificate": {"late": False, "inspectors": [{"name": "Elionor Serra"}]},
        f"{DRAW}/minutes.pdf": b"%PDF-1.7",
    }
    answers = Answers()
    for path, answer in (replies | changes).items():
        answers.to(path, answer)
    return answers


def draw_played(answers: Answers) -> str:
    """Play the draw of the last race and return the draw's id."""
    stage = stage_of(answers)
    day = Day(facts.load(facts.MANACOR), stage.staff, contest=7)
    race = day.facts.races[-1]
    day.race_ids[race.racecourse, race.race] = 3
    return drawing._draw(stage, day, race)


@pytest.mark.article("14.III.5.4.2")
def test_the_draw_goes_from_the_declaration_to_its_signed_minutes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = draw()
    assert draw_played(answers) == "d"
    order = [path for path, _ in answers.asked]
    acts = [f"{RACE}/declaration", f"{DRAW}/commitment", ENTROPY, f"{DRAW}/certificate"]
    assert [order.index(act) for act in acts] == sorted(order.index(act) for act in acts)
    (declared,) = answers.bodies(f"{RACE}/declaration")
    assert declared["kind"] == "not_run"
    first, second = answers.bodies(ENTROPY)
    assert first["text"] != second["text"], "the second throw is another one"
    assert [body["lang"] for body in answers.bodies(f"{DRAW}/minutes.pdf")] == ["ca", "es"]
    printed = capsys.readouterr().out
    assert "announces the draw, at 20:30: Oficina" in printed
    assert "5, 2 and 8" in printed
    assert "Elionor Serra, inspector, certifies" in printed


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({ENTROPY: Turns([DRAWN, DRAWN])}, "draws/d/entropy was not refused"),
        (
            {ENTROPY: Turns([DRAWN, problem("draw_late")])},
            "entropy was refused as draw_late",
        ),
        ({f"{DRAW}/commitment": {"entries": []}}, "draws/d/commitment was not refused"),
        ({f"{DRAW}/certificate": {"late": True}}, "the draw is late"),
        ({f"{DRAW}/minutes.pdf": b"<html>"}, "the minutes are no PDF"),
    ],
)
def test_a_draw_that_goes_wrong_is_amiss(changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises(Amiss, match=wrong):
        draw_played(draw(**changes))


class Recording(Outsider):
    """An outsider who keeps files in a folder and records the checks instead of running them."""

    def __init__(self, answers: Answers, folder: Path) -> None:
        super().__init__(cast(Any, answers), folder)
        self.checks: list[Check] = []

    def check_all(self, checks: Any) -> None:
        self.checks += checks


def test_each_document_is_checked_as_it_is_and_with_one_thing_changed(tmp_path: Path) -> None:
    minutes = {"kind": "draws.minutes", "subject": "d", "document": {"order": ["5", "2", "8"]}}
    settled = {"kind": "lototrot.settlement", "subject": "s", "document": {"bets": 3}}
    answers = Answers().to("log/keys", {"items": [{"public_key": "key"}]})
    answers.to("log", lambda _: [_copy(minutes), _copy(settled)])
    answers.to("lototrot/proofs", {"ticket": {"amount_cents": 300}})
    answers.to("lototrot/contests/7/certificate.json", {"document": {"settlement": "s"}})
    answers.to("lototrot/contests/7/sealed-tickets", bytes(9))
    stage: Stage = stage_of(answers)
    outsider = Recording(answers, tmp_path)
    day = Day(facts.load(facts.MANACOR), stage.staff, contest=7)
    drawing._look_from_outside(stage, day, outsider, "d", [{"code": "code"}])

    sound = [check for check in outsider.checks if not check.changed]
    changed = [check for check in outsider.checks if check.changed]
    scripts = ["contests.py", "draw.py", "public_log.py", "settlement.py", "ticket.py"]
    assert sorted(check.script for check in sound) == scripts
    assert {check.script for check in changed} == set(scripts) - {"contests.py", "public_log.py"}
    good = {word for check in sound for word in check.words if isinstance(word, Path)}
    files = [
        [word for word in check.words if isinstance(word, Path) and word not in good]
        for check in changed
    ]
    assert [len(others) for others in files] == [1] * len(changed), "one thing in each"
    contents = [others[0].read_bytes() for others in files]
    assert b'"amount_cents": 400' in contents[0]
    assert b'["8", "2", "5"]' in contents[1]
    assert b'"bets": 2' in contents[2]
    assert sum(byte.bit_count() for byte in contents[3]) == 1


def _copy(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"document": dict(entry["document"])}
