"""Count the calls that wait for each other and are made by one statement."""

import json
from typing import Any

import pytest

from core.database import together
from tests.support.concurrency.sales import PATIENCE_S


def counted_statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of calls of each statement, from now on.

    Calls wait for each other as long as it takes.
    """
    statements: list[int] = []
    once = together.run_prepared_once

    def counted(statement: str, parameters: list[str]) -> tuple[Any, ...]:
        statements.append(len(json.loads(parameters[0])))
        return once(statement, parameters)

    monkeypatch.setattr(together, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(together, "run_prepared_once", counted)
    return statements
