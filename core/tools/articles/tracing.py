"""Find the code and the tests of each article of the regulation."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DONE = "done"
_ROW = re.compile(r"^\| (1[45]\.[IVX.0-9]+) \|(.*)\|$")


@dataclass(frozen=True, slots=True)
class Article:
    """A row of docs/regulation.md. `state` is `done`, `part: ...` or `open`."""

    number: str
    summary: str
    readings: str
    code: str
    state: str


@dataclass(frozen=True, slots=True)
class Trace:
    """An article with the tests that cite it, as `path::name`."""

    article: Article
    tests: tuple[str, ...]


def articles(page: Path) -> list[Article]:
    """Return the articles of the page, in its order."""
    rows = []
    for line in page.read_text("utf-8").splitlines():
        row = _ROW.match(line)
        if row:
            rows.append(Article(row[1], *(cell.strip() for cell in row[2].split("|"))))
    return rows


def citations(tests: Path) -> Iterator[tuple[str, str]]:
    """Return each (article, test) of the `article` marks under a folder, also of modules."""
    for path in sorted(tests.rglob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        place = path.relative_to(tests.parent).as_posix()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for mark in node.decorator_list:
                    yield from ((number, f"{place}::{node.name}") for number in _cited(mark))
            elif isinstance(node, ast.Assign) and _is_module_mark(node):
                for part in ast.walk(node.value):
                    yield from ((number, place) for number in _cited(part))


def _is_module_mark(node: ast.Assign) -> bool:
    return any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)


def _cited(mark: ast.AST) -> list[str]:
    is_article = (
        isinstance(mark, ast.Call)
        and isinstance(mark.func, ast.Attribute)
        and mark.func.attr == "article"
    )
    if not is_article:
        return []
    constants = [a.value for a in mark.args if isinstance(a, ast.Constant)]  # type: ignore[attr-defined]
    return [number for number in constants if isinstance(number, str)]


def trace(root: Path) -> list[Trace]:
    """Every article with its tests. `root` is the project's folder."""
    tests: dict[str, set[str]] = {}
    for number, test in citations(root / "tests"):
        tests.setdefault(number, set()).add(test)
    known = articles(root / "docs" / "regulation.md")
    return [Trace(each, tuple(sorted(tests.get(each.number, ())))) for each in known]


def faults(root: Path) -> list[str]:
    """What is missing: a test of a finished article, a file, an article that a test cites."""
    traces = trace(root)
    found = [
        f"{each.article.number} is done and no test cites it"
        for each in traces
        if each.article.state == DONE and not each.tests
    ]
    found += [
        f"{each.article.number}: there is no {each.article.code}"
        for each in traces
        if each.article.code and not (root / each.article.code).is_file()
    ]
    numbers = {each.article.number for each in traces}
    found += [
        f"{test} cites {number}, which docs/regulation.md does not have"
        for number, test in citations(root / "tests")
        if number not in numbers
    ]
    return found
