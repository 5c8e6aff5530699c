"""The worked examples of the regulation: the project's own, worked by hand, and the shared ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.tools.whatif.answers import answers, read_cases

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "golden" / "cases.json"
SHARED = ROOT.parent / "shared" / "regulation" / "cases.json"


def _load(path: Path) -> list[Any]:
    cases = json.loads(path.read_text("utf-8"))["cases"]
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.article(*case["articles"]))
        for case in cases
    ]


def _answer(case: dict[str, Any]) -> Any:
    blind = {key: value for key, value in case.items() if key != "expected"}
    return next(answers(read_cases(json.dumps({"cases": [blind]}).encode())))


@pytest.mark.parametrize("case", _load(OWN))
def test_own_worked_example(case: dict[str, Any]) -> None:
    assert _answer(case) == {"id": case["id"], "output": case["expected"]}


@pytest.mark.skipif(
    not SHARED.exists(),
    reason="the cases shared with the reference are not beside this checkout (nothing to install)",
)
def test_shared_worked_examples() -> None:
    cases = json.loads(SHARED.read_text("utf-8"))["cases"]
    wrong = [
        case["id"]
        for case in cases
        if json.dumps(_answer(case), sort_keys=True)
        != json.dumps({"id": case["id"], "output": case["expected"]}, sort_keys=True)
    ]
    assert cases
    assert wrong == []
