"""Answer the race day's requests from a table, where a test needs no running system."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.people import Seller, Staff
from core.tools.raceday.stage import Stage

BASE_URL = "http://127.0.0.1:1"


def problem(code: str, status: int = 409) -> ApiProblem:
    return ApiProblem(status, {"code": code})


class Answers:
    """An API that answers each path from a table and keeps what it was asked, in order.

    An answer is a value, a problem to raise, or a function of the body or query. A list of answers
    in `Turns` is given one by one. A path that is not in the table is an error of the test.
    """

    base_url = sales_url = BASE_URL

    def __init__(self, **_: Any) -> None:
        self.table: dict[str, Any] = {}
        self.asked: list[tuple[str, Any]] = []

    def to(self, path: str, answer: Any) -> "Answers":
        self.table[path] = answer
        return self

    def bodies(self, path: str) -> list[Any]:
        """Return the bodies sent to a path, in order."""
        return [body for asked, body in self.asked if asked == path]

    def post(self, path: str, body: Any = None) -> Any:
        return self._answer(path, body)

    def get(self, path: str, **query: Any) -> Any:
        return self._answer(path, query)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        yield from self._answer(path, query)

    def raw(self, method: str, path: str, *more: Any, **query: Any) -> Any:
        return self._answer(path, query.get("query"))

    def _answer(self, path: str, body: Any) -> Any:
        self.asked.append((path, body))
        answer = self.table[path]
        if isinstance(answer, Turns):
            answer = answer.pop(0)
        if isinstance(answer, Callable):
            answer = answer(body)
        if isinstance(answer, ApiProblem):
            raise answer
        return answer


class Turns(list[Any]):
    """Answers for one path, in their turn."""


class Everybody(dict[str, Answers]):
    """The staff by username, each answered from one table."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.answers = answers

    def __missing__(self, username: str) -> Answers:
        return self.answers


def stage_of(answers: Answers, terminals: int = 6) -> Stage:
    """Return a stage on which everybody is answered from the same table."""
    sellers = [seller_of(answers, f"T-{number}") for number in range(terminals)]
    return Stage(cast(Api, answers), {}, staff_of(answers), sellers, "183054")


def staff_of(answers: Answers) -> Staff:
    return cast(Staff, Everybody(answers))


def seller_of(answers: Answers, terminal: str = "T-0") -> Seller:
    return Seller("P-0001", terminal, 1, cast(Api, answers))
