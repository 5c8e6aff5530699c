"""The demonstration's chapters, what they demand, and how they wait."""

import itertools
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.stage import Amiss, Stage, chapters, need, wait_for


def test_every_app_tells_its_chapters_in_one_order() -> None:
    all_chapters = chapters()
    orders = [chapter.order for chapter in all_chapters]
    assert orders == sorted(set(orders))
    titles = [chapter.title for chapter in all_chapters]
    assert titles[0] == "A race day"
    assert titles[-1] == "The journal"
    assert any(title.startswith("Promotrot") for title in titles)
    assert [chapter.title for chapter in all_chapters if chapter.begins_at] == ["A race day"]


def test_what_does_not_hold_is_amiss() -> None:
    need(True, "not raised")
    with pytest.raises(Amiss, match="the trial balance is not zero"):
        need(False, "the trial balance is not zero")


def test_a_wait_ends_with_the_first_answer_or_with_the_time() -> None:
    looks = itertools.count()
    assert wait_for(lambda: True if next(looks) == 3 else None, "it", within_s=30, every_s=0)
    assert next(looks) == 4
    with pytest.raises(Amiss, match="the seal did not come within 0 s"):
        wait_for(lambda: None, "the seal", within_s=0, every_s=0)


class _Organiser:
    """Answers POSTs with what it was given, an error raised, else returned.

    Long work has ended when it is read for the second time, as it was given.
    """

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self._reads = itertools.count()

    def post(self, path: str, body: Any) -> Any:
        answer = self._answers.pop(0)
        if isinstance(answer, ApiProblem):
            raise answer
        self._work = answer
        return {"id": 7, "state": "waiting"}

    def get(self, path: str) -> Any:
        assert path == "long-work/7"
        return self._work if next(self._reads) % 2 else self._work | {"state": "running"}


def _work(state: str, fault: str = "", done: int = 0, **data: Any) -> dict[str, Any]:
    return {"state": state, "fault": fault, "fault_data": data, "result": {"jobs": done}}


def _stage(*answers: Any) -> Stage:
    nobody = cast(Any, None)
    return Stage(nobody, {}, cast(Any, {"org1": _Organiser(*answers)}))


def test_nights_are_asked_for_again_while_the_beat_runs_them() -> None:
    running, quiet = _work("failed", "night_running"), _work("failed", "not_quiet")
    assert _stage(running, quiet, _work("done", done=4)).nights() == 4


def test_a_night_that_failed_is_amiss() -> None:
    failed = {"job": "claims.lapse", "day": "2027-05-11", "error": "no space"}
    with pytest.raises(Amiss, match=r"claims\.lapse of 2027-05-11 failed: no space"):
        _stage(_work("failed", "night_jobs_failed", jobs=[failed])).nights()
    with pytest.raises(Amiss, match="not run: cut_off"):
        _stage(_work("cut_off", "cut_off")).nights()


def test_time_that_is_past_already_is_left_as_it_is() -> None:
    instant = cast(Any, SimpleNamespace(isoformat=lambda: "2027-04-10T10:00:00+00:00"))
    _stage(ApiProblem(409, {"code": "clock_backwards"})).move_to(instant, "the next day")
    with pytest.raises(ApiProblem, match="forbidden"):
        _stage(ApiProblem(403, {"code": "forbidden"})).move_to(instant, "the next day")
