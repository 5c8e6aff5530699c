"""The house's words in names: encrypted and not sealed, and named for what is held."""

import ast
import re
from collections.abc import Callable, Iterator

from core.tools.embedded.server import ROOT
from tests.test_tidy import PYTHON, documented, name_of, python_files, tree

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def test_names_of_persons_are_encrypted_and_not_sealed() -> None:
    """To seal is to publish a digest; hiding content is encrypting."""
    sealing = {
        name_of(path)
        for path in python_files("core/staff", "core/premises")
        if re.search("seal", path.read_text(), re.I)
    }
    assert sealing == set()


# Names that tell how a value came about, and not what it is.
_NAMES_OF_NOTHING = {"found", "made", "shown", "known", "told", "said", "given"}
_WRITTEN = re.compile(rf"\b_*({'|'.join(_NAMES_OF_NOTHING)})_*\b")


def _named(scope: ast.AST, *, of_class: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the functions, variables and arguments below a node, but no attributes of classes."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name.strip("_"), node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not of_class:
            yield node.id, node.lineno
        inside = of_class and not isinstance(node, FUNCTIONS)
        yield from _named(node, of_class=inside or isinstance(node, ast.ClassDef))


def test_functions_and_variables_are_named_for_what_they_do_and_hold() -> None:
    vague = [
        f"{name_of(path)}:{line} {name}"
        for path in python_files(*PYTHON)
        if _WRITTEN.search(path.read_text())
        for name, line in _named(tree(path))
        if name in _NAMES_OF_NOTHING
    ]
    assert vague == []


def test_a_vague_name_is_seen() -> None:
    seen: Callable[[str], bool] = lambda text: any(  # noqa: E731
        name in _NAMES_OF_NOTHING for name, _ in _named(ast.parse(text))
    )
    assert seen("found = 1") and seen("def f(*, made): pass") and seen("(a, shown), b = x")
    assert seen("[known for known in x]") and seen("class A:\n def f(self): found = 1")
    assert seen("for told in x: pass") and seen("if said := x: pass") and seen("lambda *given: 1")
    assert not seen("class A:\n shown = ()") and not seen("f(found=1)") and not seen("a.made = 1")
    assert not seen("class A:\n told = ()") and not seen("f(given=1)")
    assert seen("def said(): pass") and seen("class A:\n def _told(self): pass")
    assert not seen("def say(): pass") and not seen("from tests.support import paying as given")


_DECLARED = re.compile(r"(?:\b(?:const|let|function)\s+|#)(\w+)|\bthis\.(\w+) = ")
_IN_A_TEMPLATE = re.compile(r"\{\{ (?:\w+\.)?(\w+)|\{% for (\w+)")


def _of_a_page(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the names that mean nothing which a script declares, or a template reads."""
    for names in pattern.findall(text):
        yield from _NAMES_OF_NOTHING.intersection(names if isinstance(names, tuple) else (names,))


def test_names_in_scripts_are_those_of_what_they_hold() -> None:
    vague = [
        f"{name_of(path)} {name}"
        for part in ("core", "lototrot", "promotrot")
        for path in sorted((ROOT / part).rglob("static/**/*.js"))
        for name in _of_a_page(path.read_text(), _DECLARED)
    ]
    assert vague == []


def test_nothing_that_a_template_writes_is_named_said_or_told() -> None:
    vague = [
        f"{name_of(path)} {name}"
        for part in ("core", "lototrot", "promotrot")
        for path in sorted((ROOT / part).rglob("templates/**/*.html"))
        for name in _of_a_page(path.read_text(), _IN_A_TEMPLATE)
    ]
    assert vague == []


def test_a_vague_name_of_a_page_is_seen() -> None:
    for text in ("const said = 1;", "function told(x) {", "this.shown = x;", "#made = false;"):
        assert [*_of_a_page(text, _DECLARED)]
    for text in ("{{ said }}", "{{ each.said|capfirst }}", "{% for said, open in gates %}"):
        assert [*_of_a_page(text, _IN_A_TEMPLATE)]
    assert not [*_of_a_page("entry.shown === -1; // said so", _DECLARED)]


def test_docstrings_begin_with_the_verb_itself() -> None:
    """Not "Have two persons confirm it", but "Confirm it by two persons"."""
    having = {
        name_of(path)
        for path in python_files(*PYTHON)
        if any(text.startswith("Have ") for text in documented(path))
    }
    assert having == set()
