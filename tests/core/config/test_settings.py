"""docs/operations/environment.md lists every variable with the default that the code gives it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import argon2
import pytest
from django.contrib.auth.hashers import get_hashers_by_algorithm, make_password
from django.test import override_settings

from core.config import settings as delivered
from core.kernel.languages import LANGUAGES
from core.tools.embedded.server import ROOT

PAGE = (ROOT / "docs" / "operations" / "environment.md").read_text()
READERS = {
    *("env.secret", "env.string", "env.boolean", "env.integer", "env.seconds", "env.words"),
    *("env.days", "env.networks", "env.one_of", "env.host", "env.addresses", "env.shaped"),
    *("_secrets.text", "_secrets.code_keys", "_secrets.data_keys", "_secrets.signing_keys"),
    *("os.environ.get", "os.getenv"),
}


def rows() -> list[list[str]]:
    """Return the cells of the table of variables."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def reads(path: Path) -> Iterator[tuple[str, str | None]]:
    """Return the variables that a file reads, each with its default if the file states one."""
    text = path.read_text()
    if not any(reader in text for reader in READERS):
        return
    tree = ast.parse(text)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and isinstance(node.values[0], ast.Call):
            default = node.values[-1]  # os.environ.get(name) or default
            read_name = _read(node.values[0], constants)
            if read_name and isinstance(default, ast.Constant):
                yield read_name[0], str(default.value)
        elif isinstance(node, ast.Call):
            read_name = _read(node, constants)
            if read_name:
                yield read_name


def _dotted(node: ast.expr) -> str:
    """Return a name with the names of what it belongs to; nothing for other expressions."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _read(call: ast.Call, constants: dict[str, object]) -> tuple[str, str | None] | None:
    if not call.args or _dotted(call.func) not in READERS:
        return None
    named = call.args[0]
    name = named.value if isinstance(named, ast.Constant) else constants.get(ast.unparse(named))
    if not isinstance(name, str):
        return None
    defaults = [*call.args[1:], *(word.value for word in call.keywords if word.arg == "default")]
    plain = defaults and isinstance(defaults[0], ast.Constant) and defaults[0].value != ""
    return name, str(defaults[0].value).lower() if plain else None


@cache
def variables() -> dict[str, str | None]:
    defaults: dict[str, str | None] = {}
    for package in ("core", "lototrot", "promotrot"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for name, default in reads(path):
                defaults[name] = defaults.get(name) or default
    return defaults


def test_the_environment_table_has_every_variable_and_its_default() -> None:
    defaults, table = (
        variables(),
        {row[0].strip("`"): row[1].strip("`") for row in rows()},
    )
    assert {"SECRET_KEY", "WEB_SERVER", "PROMETHEUS_MULTIPROC_DIR"} <= defaults.keys()
    assert table.keys() == defaults.keys()
    for name, default in defaults.items():
        if default:
            assert table[name].lower() == default.lower(), name


@pytest.mark.parametrize("name", ["LOG_LEVEL", "SWEEP_EVERY_S", "ACCESS_LOG_EVERY", "PROFILE"])
def test_defaults_are_found_in_the_code(name: str) -> None:
    assert variables()[name]


def test_passwords_and_pins_are_hashed_at_the_cost_that_django_recommends() -> None:
    """Other tests hash at little cost. The settings delivered cost what they should."""
    with override_settings(PASSWORD_HASHERS=delivered.PASSWORD_HASHERS):
        assert list(get_hashers_by_algorithm()) == ["keyed_argon2"]
        encoded = make_password("correct horse battery")
    cost = argon2.extract_parameters("$" + encoded.split("$", 2)[2])
    assert cost.type is argon2.Type.ID
    assert (cost.memory_cost, cost.time_cost, cost.parallelism) == (100 * 1024, 2, 8)


def test_the_settings_name_the_languages_of_the_system() -> None:
    assert tuple(code for code, _name in delivered.LANGUAGES) == LANGUAGES
