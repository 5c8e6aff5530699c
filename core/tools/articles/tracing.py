"""Find the code and the tests of each article of the regulation."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

DONE = "done"
_ROW = re.compile(r"^\| (1[45]\.[IVX.0-9]+) \|(.*)\|$")


@dataclass(frozen=True, slots=True)
class Article:
    """A row of docs/regulation.md.

    `code` names the files that implement it, with a space between two; `state` is `done`,
    `part: ...` or `open`.
    """

    number: str
    summary: str
    readings: str
    code: str
    state: str

    @property
    def paths(self) -> list[str]:
        """Return the files that implement the article, relative to the project's folder."""
        return self.code.split()


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
        text = path.read_text("utf-8")
        if "article" not in text:  # to parse every test takes a second
            continue
        place = path.relative_to(tests.parent).as_posix()
        for node in ast.walk(ast.parse(text)):
            for mark, name in _marks(node):
                yield from ((number, f"{place}{name}") for number in _cited(mark))


def _marks(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield what may be a mark, with what its test's name adds to that of the module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from ((mark, f"::{node.name}") for mark in node.decorator_list)
    elif isinstance(node, ast.Assign) and _is_module_mark(node):
        yield from ((part, "") for part in ast.walk(node.value))


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
    """Return every article with its tests. `root` is the folder of the project."""
    return _traced(root, citations(root / "tests"))


def _traced(root: Path, cited: Iterable[tuple[str, str]]) -> list[Trace]:
    tests: dict[str, set[str]] = {}
    for number, test in cited:
        tests.setdefault(number, set()).add(test)
    rows = articles(root / "docs" / "regulation.md")
    return [Trace(article, tuple(sorted(tests.get(article.number, ())))) for article in rows]


def faults(root: Path) -> list[str]:
    """Return a sentence for each fault, or nothing.

    A finished article must have a test, files that are named must exist, and a test may only cite
    an article of the page.
    """
    cited = list(citations(root / "tests"))
    traces = _traced(root, cited)
    untested = [
        f"{traced.article.number} is done and no test cites it"
        for traced in traces
        if traced.article.state == DONE and not traced.tests
    ]
    missing = [
        f"{traced.article.number}: there is no {path}"
        for traced in traces
        for path in traced.article.paths
        if not (root / path).is_file()
    ]
    numbers = {traced.article.number for traced in traces}
    unlisted = [
        f"{test} cites {number}, which docs/regulation.md does not have"
        for number, test in cited
        if number not in numbers
    ]
    return untested + missing + unlisted
