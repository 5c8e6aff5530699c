"""Say who may call each operation, read each page of the administration and do each act.

`docs/roles.md` is this table. An operation names its power where it is declared, a page its
`read_power`, an act its `power`; a test tries each cell (`tests/core/admin_support/test_roles.py`).
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.contrib import admin
from django.urls import get_resolver
from django.utils.translation import override

from core.admin_support.readonly import ReadOnlyAdmin
from core.api.authentication import OperatorToken, StaffToken, TerminalToken
from core.api.schema import OF_ITS_KIND, SIGNED_ON, Operation
from core.api.views import ApiView
from core.premises.access import CAPABILITIES, Capability
from core.premises.models import Premises
from core.staff.powers import Role, holders
from core.staff.two_persons import Kind, kinds

MAY, SECOND, PERHAPS, KIND = "x", "2", "x2", "k"
METHODS = ("get", "post", "put", "patch", "delete")
ANYONE, TERMINAL, SELLER, ENTITY = "anyone", "terminal", "establishment", "entity"
FIRST, NEW = "first password", "new"
CALLERS = (ANYONE, TERMINAL, SELLER, ENTITY, *(role.value for role in Role), FIRST, NEW)

INTRODUCTION = """\
# Roles

Who may do what. `x`: may. `2`: proposes it, and a second person confirms. `x2`: may, and from a
limit on a second person confirms. `k`: by the kind of the proposal (last table). Nothing: is
refused, with 401 or 403 and a stable code, and nothing is written. A test tries each cell.

`anyone` has no credentials, `terminal` a terminal's without an operator; at `establishment` and
`entity` (an authorised entity's office) an operator is signed on. `first password` is an account
whose password others know, with any role; `new` an account that was given something within 24
hours: it may what its roles may, but is no second person, and proposes nothing that gives power.

`make documents` writes this page; [powers.md](powers.md) has the powers themselves."""


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoint:
    """An operation of the API: its address, its power, and what it answers a caller."""

    method: str
    path: str
    view: type[ApiView]
    declared: Operation

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def mark(self) -> str:
        """Return the mark that tells who may call it."""
        fields = getattr(self.declared.answer, "_declared_fields", {})
        if "kind" in fields and "good_until" in fields and self.method != "get":
            return KIND if self.declared.power == OF_ITS_KIND else SECOND
        proposal = fields.get("proposal")
        if proposal is None or self.method == "get":
            return MAY
        return PERHAPS if proposal.allow_null else SECOND

    def roles(self) -> frozenset[Role]:
        """Return the roles that may call it."""
        if self.declared.power in (SIGNED_ON, OF_ITS_KIND):
            return frozenset(Role)
        return holders(self.declared.power)

    def cell(self, caller: str) -> str:
        """Return the mark of a caller, or "" if they are refused."""
        schemes = self.view.authentication_for.get(self.method, self.view.authentication_classes)
        if StaffToken in schemes:
            return self._cell_of_staff(caller)
        if not any(issubclass(scheme, TerminalToken) for scheme in schemes):
            return MAY
        if caller == TERMINAL:
            return "" if OperatorToken in schemes else MAY
        return MAY if caller in (SELLER, ENTITY) and self._capable(caller) else ""

    def _cell_of_staff(self, caller: str) -> str:
        if caller == FIRST:
            return "" if self.view.needs_own_password else MAY  # type: ignore[attr-defined]
        if caller == NEW:
            return "" if self.refuses_new_accounts() else self.mark
        return self.mark if caller in {role.value for role in self.roles()} else ""

    def refuses_new_accounts(self) -> bool:
        """Return whether a person whose account is new is refused."""
        if self.mark == KIND:
            return self.path.endswith("/confirmation")
        giving = {kind.power for kind in kinds().values() if kind.gives_power}
        return self.mark == SECOND and self.declared.power in giving

    def _capable(self, caller: str) -> bool:
        kind = Premises.Kind.ESTABLISHMENT if caller == SELLER else Premises.Kind.ENTITY_OFFICE
        capability = self.declared.capability
        return not capability or Capability(capability) in CAPABILITIES[kind]


def endpoints() -> list[Endpoint]:
    """Return every operation of the API, sorted by address."""
    operations = []
    for path, view in _views(get_resolver().url_patterns, "/"):
        for method in METHODS:
            declared = getattr(getattr(view, method, None), "operation", None)
            if declared is not None:
                operations.append(Endpoint(method, path, view, declared))
    return sorted(operations, key=lambda each: (each.path, each.method))


def _views(patterns: Sequence[Any], before: str) -> Iterator[tuple[str, type[ApiView]]]:
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _views(pattern.url_patterns, address)
        elif issubclass(getattr(pattern.callback, "cls", object), ApiView):
            yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", address), pattern.callback.cls


def pages() -> list[ReadOnlyAdmin]:
    """Return the pages of the administration, sorted by model."""
    return sorted(admin.site._registry.values(), key=lambda each: each.model._meta.label)  # type: ignore[arg-type]


def page() -> str:
    """Return the page docs/roles.md."""
    with override("en"):
        parts = [INTRODUCTION, "## Operations of the API"]
        groups = groupby(
            endpoints(), lambda each: each.path.removeprefix("/api/v1/").split("/")[0].split(".")[0]
        )
        for name, members in groups:
            rows = [[f"`{d.name}`", *map(d.cell, CALLERS)] for d in members]
            parts.append(f"### {name}\n\n{_table(['operation', *CALLERS], rows)}")
        roles = [role.value for role in Role]
        parts += ["## Pages of the administration", _table(["page", *roles], _page_rows())]
        parts += ["## Acts of the administration", _table(["act", *roles], _act_rows())]
        parts.append(
            "## Acts of two persons\n\nFirst who proposes, then who confirms; `p` proposes, `c`"
            " confirms, `pc` either, never one person both.\n\n"
            + _table(["kind", *roles, "good for"], [_kind_row(kinds()[n]) for n in sorted(kinds())])
        )
    return "\n\n".join(parts) + "\n"


def _marks(power: str) -> list[str]:
    return [MAY if role in holders(power) else "" for role in Role]


def _page_rows() -> list[list[str]]:
    return [[f"`{each.model._meta.label}`", *_marks(each.read_power)] for each in pages()]


def _act_rows() -> list[list[str]]:
    rows = []
    for each in pages():
        for act in (*each.acts, *each.list_acts, *each.chosen_acts):
            marks = _marks(act.power) if isinstance(act.power, str) else [KIND] * len(Role)
            rows.append([f"`{each.model._meta.label}` {act.name}", *marks])
    return rows


def _kind_row(kind: Kind) -> list[str]:
    cells = [
        ("p" if role in holders(kind.power) else "")
        + ("c" if role in holders(kind.decides) else "")
        for role in Role
    ]
    minutes = kind.good_for and int(kind.good_for.total_seconds()) // 60
    good_for = "until decided" if not minutes else f"{minutes} min"
    if minutes and minutes >= 60:
        good_for = f"{minutes // 60} h"
    return [f"`{kind.name}`", *cells, good_for]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
