"""Powers: every act refuses every role that does not hold it, before it looks at anything else."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command

import core
import lototrot
import promotrot
from core.staff.actor import PowerMissing, StaffActor
from core.staff.management.commands.powers import table_text
from core.staff.powers import Role, holders, merged, table, tables
from core.tools.embedded.server import ROOT

# These ask for the power of the thing they are about, such as a kind of long work, or for none:
# what is one's own, and the part of a confirmed correction that undoes a settlement. Games announce
# and call off draws.
BY_SUBJECT = {
    "core.staff.two_persons.confirm",
    "core.staff.two_persons.reject",
    "core.staff.two_persons.propose",
    "core.staff.two_persons.need_confirmable",
    "core.longwork.services.work_ask",
    "core.staff.services.session_end",
    "core.staff.accounts.password_change",
    "lototrot.services.settlement.settling.settlement_reverse",
    "core.draws.services.draw_announce",
    "core.draws.services.draw_call_off",
}


def actor(*roles: Role) -> StaffActor:
    return StaffActor(user_id=1, session_id=1, name="", roles=frozenset(roles))


def service_modules() -> Iterator[Any]:
    for package in (core, lototrot, promotrot):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if {"services", "accounts", "suspending", "two_persons"} & set(module.name.split(".")):
                yield importlib.import_module(module.name)


def acts() -> dict[str, Callable[..., Any]]:
    """Every service that takes a member of staff and nobody else as `by`."""
    services = {}
    for module in service_modules():
        for name, function in inspect.getmembers(module, inspect.isfunction):
            by = inspect.signature(function).parameters.get("by")
            if name.startswith("_") or function.__module__ != module.__name__ or by is None:
                continue
            if by.annotation in (StaffActor, StaffActor | None) and by.kind is by.KEYWORD_ONLY:
                services[f"{module.__name__}.{name}"] = function
    return services


ACTS = acts()


def test_there_are_acts_to_try() -> None:
    assert {
        "lototrot.services.tickets.putting_on_sale.contest_open_propose",
        "core.premises.suspending.sales_suspend",
        "core.staff.accounts.account_propose",
    } <= set(ACTS)
    assert set(ACTS) >= BY_SUBJECT


@pytest.mark.parametrize("act", sorted(set(ACTS) - BY_SUBJECT))
def test_an_act_refuses_a_person_without_its_power_first_of_all(db: None, act: str) -> None:
    """Everything else in the call is nonsense: the power is asked for before any of it is read."""
    function = ACTS[act]
    nonsense = {
        name: object()
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "by" and parameter.default is inspect.Parameter.empty
    }
    with pytest.raises(PowerMissing) as refusal:
        function(by=actor(), **nonsense)
    entitled = {Role(role) for role in refusal.value.data["roles"]}
    assert entitled
    assert refusal.value.data["act"] in table()
    for role in set(Role) - entitled:
        with pytest.raises(PowerMissing):
            function(by=actor(role), **nonsense)


@pytest.mark.parametrize("act", sorted(table()))
def test_a_power_is_its_holders_and_no_others(act: str) -> None:
    assert holders(act)
    for role in Role:
        if role in holders(act):
            actor(role).need(act)
        else:
            with pytest.raises(PowerMissing):
                actor(role).need(act)


def test_what_is_not_in_the_table_nobody_may_do() -> None:
    assert holders("no.such.act") == frozenset()
    with pytest.raises(PowerMissing):
        actor(*Role).need("no.such.act")


def test_a_power_is_defined_by_one_app_and_for_some_role() -> None:
    payoffice = {"payoffice.pay": frozenset({Role.CASHIER})}
    assert merged({"one": payoffice, "other": {}}) == payoffice
    with pytest.raises(ValueError, match="another app"):
        merged({"one": payoffice, "other": payoffice})
    with pytest.raises(ValueError, match="no role"):
        merged({"one": {"payoffice.pay": frozenset()}})


def test_every_power_an_app_names_is_in_its_table() -> None:
    for app, powers in tables().items():
        module = importlib.import_module(f"{app}.powers")
        names = [value for name, value in vars(module).items() if name.isupper()]
        assert {name for name in names if isinstance(name, str)} == set(powers)


def test_the_page_shows_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("powers")
    printed = capsys.readouterr().out
    page = (ROOT / "docs" / "powers.md").read_text()
    assert page == printed, "run: make documents"
    rows = re.findall(r"^\| `(\S+)`", page, re.MULTILINE)
    assert sorted(rows) == sorted(table())


def test_the_page_names_every_role_in_its_column() -> None:
    text = table_text({"draws.certify": frozenset({Role.INSPECTOR, Role.ADMINISTRATOR})})
    header, _, row = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    marked = {role for role, mark in zip(header, row, strict=True) if mark == "x"}
    assert marked == {"inspector", "administrator"}
