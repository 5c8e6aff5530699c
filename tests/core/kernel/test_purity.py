"""Check that pure packages have no float, clock, randomness, file, process or network."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PURE = {
    "core.kernel": ROOT / "core" / "kernel",
    "lototrot.engine": ROOT / "lototrot" / "engine",
    "promotrot.engine": ROOT / "promotrot" / "engine",
}
MODULES = sorted((name, path) for name, folder in PURE.items() for path in folder.rglob("*.py"))

# The standard library without its doors: to time, to chance, to files, processes and networks.
CLOSED = {
    *("time", "random", "secrets", "os", "pathlib", "subprocess", "socket", "ssl", "urllib"),
    *("http", "threading", "asyncio", "multiprocessing", "sqlite3", "tempfile", "shutil", "ctypes"),
    *("statistics", "cmath", "decimal", "importlib"),
}
ALLOWED = {"importlib.resources"}
CALLS = {"float", "complex", "round", "open", "input", "eval", "exec", "__import__"}
ATTRIBUTES = {
    *("now", "utcnow", "today", "fromtimestamp", "utcfromtimestamp", "timestamp", "total_seconds"),
    *("uuid1", "uuid4", "as_integer_ratio", "truediv", "limit_denominator"),
}


def impurities(source: str, package: str) -> list[str]:
    """Return the impure names in a module of a pure package."""
    impure = []
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=float() | complex()):
                impure.append(f"{line}: a float")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                impure.append(f"{line}: a division without a named rounding")
            case ast.Name(id=name) if name in CALLS:
                impure.append(f"{line}: {name}")
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                impure.append(f"{line}: .{name}")
            case ast.Import(names=names):
                impure += [f"{line}: import {n.name}" for n in names if _closed(n.name, package)]
            case ast.ImportFrom(module=module, names=names, level=level):
                paths = {f"{module}.{n.name}" for n in names}
                if level or (_closed(module or "", package) and not paths <= ALLOWED):
                    impure.append(f"{line}: from {module}")
                impure += [f"{line}: {n.name}" for n in names if n.name in ATTRIBUTES | CALLS]
    return impure


def _closed(module: str, package: str) -> bool:
    if module in ALLOWED or module.startswith(("core.kernel", package)):
        return False
    top = module.partition(".")[0]
    return top in CLOSED or top not in sys.stdlib_module_names


@pytest.mark.parametrize(
    ("package", "path"), MODULES, ids=[str(path.relative_to(ROOT)) for _, path in MODULES]
)
def test_a_pure_module_is_pure(package: str, path: Path) -> None:
    assert impurities(path.read_text("utf-8"), package) == []


def test_there_is_something_to_check() -> None:
    assert {package for package, _ in MODULES} == set(PURE)


@pytest.mark.parametrize(
    "source",
    [
        "x = 0.6",
        "x = 1e3",
        "x = a / b",
        "x /= 2",
        "x = float('1')",
        "x = round(y)",
        "from datetime import datetime\nx = datetime.now()",
        "x = date.today()",
        "x = span.total_seconds()",
        "import time",
        "import random as chance",
        "from secrets import token_bytes",
        "from uuid import uuid4",
        "from operator import truediv",
        "import django",
        "from django.db import models",
        "from core.ledger import models",
        "from promotrot.engine import rules",
        "from . import races",
        "import os.path",
        "x = open('f')",
        "import importlib",
    ],
)
def test_the_check_finds(source: str) -> None:
    assert impurities(source, "lototrot.engine") != []


def test_the_check_lets_pass_what_is_pure() -> None:
    source = (
        "import json\nfrom importlib import resources\nfrom fractions import Fraction\n"
        "from core.kernel import money\nfrom lototrot.engine import races\nx = 7 // 2\n"
    )
    assert impurities(source, "lototrot.engine") == []
