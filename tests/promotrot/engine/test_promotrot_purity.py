"""Check in the source that the engine has no clock, no randomness and no float."""

import ast
from pathlib import Path

import pytest

import promotrot

FOLDER = Path(next(iter(promotrot.__path__))) / "engine"
SOURCES = sorted(FOLDER.rglob("*.py"))
# What the standard library may lend it: nothing that tells the time or throws dice.
ALLOWED = {
    "collections",
    "core",
    "dataclasses",
    "datetime",
    "fractions",
    "functools",
    "hashlib",
    "importlib",
    "itertools",
    "json",
    "math",
    "promotrot",
    "re",
    "struct",
    "typing",
}


def _faults(source: str) -> list[str]:
    nodes = [*ast.walk(ast.parse(source))]
    imported = [
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    ]
    imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return [
        *(f"imports {name}" for name in imported if not _may_import(name)),
        *("float" for node in nodes if isinstance(node, ast.Name) and node.id == "float"),
        *(
            f"float {node.value}"
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, float)
        ),
        *(
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute) and node.attr in {"now", "today", "utcnow"}
        ),
    ]


def _may_import(name: str) -> bool:
    first, second = [*name.split("."), ""][:2]
    own = {"core": {"kernel"}, "promotrot": {"engine"}}
    return first in ALLOWED and (first not in own or second in own[first])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_the_engine_is_pure(path: Path) -> None:
    assert _faults(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "import secrets",
        "from time import time",
        "from django.db import models",
        "from core.ledger import models",
        "from promotrot.services import play",
        "x = 0.7",
        "x = float(3)",
        "from datetime import date\nx = date.today()",
    ],
)
def test_the_check_sees_what_it_must(source: str) -> None:
    assert _faults(source)
