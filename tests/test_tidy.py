"""The house's own limits: lengths, folders, imports, names of tests, ways of writing."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter import cli

from core.tools.embedded.server import ROOT

FUNCTION_LINES = 60
FILE_LINES = 400
FOLDER_MODULES = 20
# Exactly what each has; CONTRIBUTING.md gives the reasons.
FOLDERS_ALLOWED_MORE = {"tests/concurrency": 24}
FMT_SKIPS = 40
TESTED_FROM_LINES = 60
SOURCES = ("core", "lototrot", "promotrot")
PYTHON = (*SOURCES, "tests", "verify")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Return the Python files below the folders, migrations aside."""
    paths = [path for folder in folders for path in sorted(Path(ROOT, folder).rglob("*.py"))]
    return tuple(path for path in paths if "migrations" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return the module and its statements, those outside others first.

    Expressions hold none, and are nine tenths of a tree.
    """
    held: list[ast.AST] = [tree(path)]
    for node in held:  # it grows
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            held += getattr(node, block, ())
    return tuple(held)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(path: Path) -> int:
    return path.read_text().count("\n")


# --- Lengths --------------------------------------------------------------------------------------


def functions(path: Path) -> Iterator[Function]:
    return (node for node in nodes(path) if isinstance(node, Function))


def test_functions_are_short() -> None:
    long = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in python_files(*PYTHON)
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES
    ]
    assert long == []


def test_files_are_short() -> None:
    long = [name_of(path) for path in python_files(*PYTHON) if lines(path) > FILE_LINES]
    assert long == []


_CONTRIBUTION = re.compile(r'contribut\w+\(\s*"(\w+)"')


def contributions() -> set[str]:
    """Return the names by which core finds what an app contributes, such as `nightly`."""
    return {name for p in python_files("core") for name in _CONTRIBUTION.findall(p.read_text())}


def test_folders_hold_few_modules() -> None:
    uncounted = {"__init__", *contributions()}
    modules: dict[str, int] = defaultdict(int)
    for path in python_files(*PYTHON):
        modules[name_of(path.parent)] += path.stem not in uncounted
    crowded = {
        folder: count
        for folder, count in modules.items()
        if count > FOLDERS_ALLOWED_MORE.get(folder, FOLDER_MODULES)
    }
    assert crowded == {}


# --- Ways of writing ------------------------------------------------------------------------------


def test_locks_are_named_in_sql() -> None:
    files = [path for folder in SOURCES for path in Path(ROOT, folder).rglob("*.sql")]
    bare = re.compile(r"advisory\w*\(\s*-?\d")
    numbered = [
        f"{name_of(path)}: {line.strip()}"
        for path in [*files, *python_files(*SOURCES)]
        for line in path.read_text().splitlines()
        if bare.search(line)
    ]
    assert numbered == []
    assert sum("{lock." in path.read_text() for path in files) > 1


_SQL_FUNCTION = re.compile(r"FUNCTION (\w+)\((?![^)]*\bVARIADIC\b)")
_CALL = re.compile(r"(?<!FUNCTION )(?<!\bdef )\b(\w+)\(")
_PIECE = re.compile(r"'[^']*'|--[^\n]*|.", re.DOTALL)


def arguments(text: str, start: int) -> list[str]:
    """Return the arguments of a call, which begin at `start`; none if the call does not end."""
    parts, depth = [""], 1
    for piece in _PIECE.finditer(text, start):
        depth += (piece[0] in "([") - (piece[0] in ")]")
        if depth == 0:
            return parts
        if piece[0] == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += piece[0]
    return []


def unnamed_calls(text: str, functions: set[str]) -> list[str]:
    """Return the calls in SQL that give a function three arguments or more by their position.

    Where a value comes from Python (`%`), two are too many.
    """
    calls = []
    for call in _CALL.finditer(text):
        values = arguments(text, call.end()) if call[1] in functions else []
        few = 1 if any("%" in each for each in values) else 2
        if len(values) > few and not all("=>" in each for each in values):
            calls.append(f"{call[1]}({','.join(values)})")
    return calls


def test_functions_in_sql_are_called_by_named_arguments() -> None:
    files = [path for folder in SOURCES for path in Path(ROOT, folder).rglob("*.sql")]
    functions = {name for path in files for name in _SQL_FUNCTION.findall(path.read_text())}
    unnamed = {
        f"{name_of(path)}: {call}"
        for path in [*files, *python_files(*SOURCES)]
        for call in unnamed_calls(path.read_text(), functions)
    }
    assert len(functions) > 100
    assert unnamed == set()


def test_a_call_by_position_is_seen() -> None:
    seen: Callable[[str], list[str]] = lambda text: unnamed_calls(text, {"f"})  # noqa: E731
    assert seen("SELECT f(%s, %(b)s)") and seen("f(%(a)s, now())") and seen("f(a, b, c)")
    assert len(seen("f(g(a, b),  -- one, two\n    'x,y', c)")) == 1
    assert seen("g(f(p_a => a, p_b => b, c))")
    assert not seen("f(a => %s, b => %s) f(%s) g(%s, %s) f(a, 'b, c') f((a, b), c)")
    assert not seen("CREATE FUNCTION f(a int, b int, c int) f(a => 1, b => g(2, 3, 4), c => 'x')")


def test_exceptions_from_the_formatter_are_few_and_have_a_reason() -> None:
    directive = re.compile(r"#\s*fmt:\s*(?:skip|off)")
    skips, unexplained = 0, []
    for path in python_files(*PYTHON):
        if "fmt:" not in path.read_text():
            continue
        before = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if path != Path(__file__) and directive.search(line):
                skips += 1
                if not before.strip().startswith("# "):
                    unexplained.append(f"{name_of(path)}:{number}")
            before = line
    assert skips < FMT_SKIPS
    assert unexplained == [], "the line above says why"


def _name(node: ast.expr) -> str:
    """Return the last name of what is called; for what has none, its text."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def _random_time(node: ast.AST) -> bool:
    """Whether it is a call to sleep for a time from the process's unseeded generator."""
    if not isinstance(node, ast.Call) or not _name(node.func).endswith("sleep"):
        return False
    return any(
        re.search(r"\b(random|secrets)\.\w+|SystemRandom|pg_sleep\(.*random", ast.unparse(argument))
        for argument in node.args
    )


def test_nothing_sleeps_for_an_unseeded_random_time() -> None:
    sleeping = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files(*PYTHON)
        if "sleep" in path.read_text()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and _random_time(node)
    ]
    assert sleeping == []


def documented(path: Path) -> Iterator[str]:
    """Yield the docstrings of a file, and those that stand below a constant or a field."""
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value).lstrip()


def test_docstrings_say_it_instead_of_announcing_it() -> None:
    announcing = {
        name_of(path)
        for path in python_files(*PYTHON)
        if any(text.startswith(("What ", "How ", "Who ", "Where ")) for text in documented(path))
    }
    assert announcing == set()


# Words of the last table of docs/glossary.md that have no other sense here.
_UNUSED_WORDS = re.compile(
    r"\b(whoever|barred|held apart|punters?|customers?|retailers?|placements?|dividends?)\b", re.I
)


def test_words_that_the_glossary_does_not_use_are_not_written() -> None:
    endings = (".py", ".sql", ".js", ".html")
    files = [
        path
        for folder in (*SOURCES, "verify")
        for path in Path(ROOT, folder).rglob("*")
        if path.suffix in endings and "migrations" not in path.parts
    ]
    written = {name_of(path) for path in files if _UNUSED_WORDS.search(path.read_text())}
    assert len(files) > 1000
    assert written == set()


# Calls and decorators with which Django and its libraries are told of classes and functions.
_OF_LIBRARIES = re.compile(
    r"^(admin\.(site\.)?register|register\.(filter|simple_tag|simple_block_tag|inclusion_tag|tag)"
    r"|template\.Library|checks?\.register)$"
)


def _registers(node: ast.stmt) -> bool:
    """Whether a statement of a module registers something when the module is imported."""
    calls: list[ast.expr] = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        calls = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    elif isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
        calls = [node.value.func] if isinstance(node.value, ast.Call) else []
    elif isinstance(node, ast.For | ast.If | ast.With):
        return any(map(_registers, node.body))
    names = [ast.unparse(each) for each in calls]
    return any(
        re.search(r"(^|\.|_)register(_\w+)?$", name) and not _OF_LIBRARIES.match(name)
        for name in names
    )


def test_nothing_is_registered_by_an_import() -> None:
    registering = {
        name_of(path) for path in python_files(*SOURCES) if any(map(_registers, tree(path).body))
    }
    assert registering == set()


def test_a_registration_is_seen() -> None:
    seen: Callable[[str], bool] = lambda text: _registers(ast.parse(text).body[0])  # noqa: E731
    assert seen("reports.register(1)")
    assert seen("@dashboard.register\ndef f(): pass")
    assert seen("for each in ():\n    register_chapter(each)")
    assert not seen("@admin.register(A)\nclass B: pass")
    assert not seen("@register.filter\ndef f(): pass")
    assert not seen("def register(): pass")


# Modules of an app that Django, Celery or a setting finds by their name.
_FOUND_BY_NAME = {"__init__", "admin", "apps", "models", "tasks", "urls"}


def test_no_module_of_an_app_is_left_that_nothing_collects_or_imports() -> None:
    """A contribution in a file with another name than the agreed one would do nothing."""
    paths = python_files(*SOURCES)
    everything = "\n".join(path.read_text() for path in paths)
    written = set(re.findall(r"\"((?:core|lototrot|promotrot)[\w.]+)", everything))
    used = written | {name.rpartition(".")[0] for name in written}
    for path in paths:
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                used |= {str(node.module), *(f"{node.module}.{name.name}" for name in node.names)}
    collected = set(re.findall(r"contribut\w+\(\s*\"(\w+)\",\s*\"[A-Z_]+\"", everything))
    idle = {
        name_of(path)
        for path in paths
        if (path.parent / "apps.py").exists() and path.stem not in _FOUND_BY_NAME | collected
        if name_of(path).removesuffix(".py").replace("/", ".") not in used
    }
    assert idle == set()


# --- Tests and imports ----------------------------------------------------------------------------


def mirrored(path: Path) -> set[Path]:
    """Return the files that may test a module: in the folder that mirrors its own, by its name."""
    folder, module = Path(ROOT, "tests", path.parent.relative_to(ROOT)), path.stem
    return {folder / f"test_{module}.py", folder / f"test_{path.parent.name}_{module}.py"}


def test_modules_have_a_test_file_of_their_name() -> None:
    tests = set(python_files("tests"))
    untested = {
        name_of(path).removesuffix(".py")
        for path in python_files(*SOURCES, "verify")
        if path.name != "__init__.py"
        and lines(path) >= TESTED_FROM_LINES
        and tests.isdisjoint(mirrored(path))
    }
    assert untested == set()


def test_only_tests_stand_among_those_that_mirror_the_source() -> None:
    """Modules that help them stand in `tests/support`."""
    allowed = {"__init__.py", "conftest.py"}
    helpers = {
        name_of(path)
        for path in python_files(*(f"tests/{folder}" for folder in (*SOURCES, "verify")))
        if not path.name.startswith("test_") and path.name not in allowed
    }
    loose = {path.name for path in Path(ROOT, "tests").glob("*.py")} - {"conftest.py"}
    assert helpers == {name for name in loose if not name.startswith("test_")} == set()


def test_every_import_contract_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    broken = cli.lint_imports(str(Path(ROOT, "pyproject.toml")), no_cache=True, no_logo=True)
    assert broken == 0, capsys.readouterr().out
