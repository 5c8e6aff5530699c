"""Define the roles of staff, and collect the powers of every app into one table.

A power is the name of an act with the roles that may do it. Each app names its acts and their roles
in its own `powers.py`, as one constant `POWERS`; this module holds those of `core.staff`. Nobody
may do an act that no app lists. `docs/powers.md` shows the table to people.
"""

from collections.abc import Mapping
from functools import cache

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.contributions import contributions_by_app


class Role(models.TextChoices):
    """The roles that a member of staff can have. One person may have several."""

    ORGANISER = "organiser", _("Organiser")
    STEWARDS = "stewards", _("Stewards' desk")
    INSPECTOR = "inspector", _("Inspector")
    AUDITOR = "auditor", _("Auditor")
    SUPERVISOR = "supervisor", _("Office supervisor")
    CASHIER = "cashier", _("Office cashier")
    ADMINISTRATOR = "administrator", _("Administrator")


# A person with one of these roles has no other: inspectors and auditors do not do what they look
# at, and administrators, who give power, use none. The database refuses it as well.
ALONE = frozenset({Role.INSPECTOR, Role.AUDITOR, Role.ADMINISTRATOR})

Powers = Mapping[str, frozenset[Role]]

CHANGE_OWN_PASSWORD = "staff.own_password"  # noqa: S105  (the name of an act)
MANAGE_ACCOUNTS = "staff.accounts"
MOVE_CLOCK = "clock.move"
READ_ACCOUNTS = "staff.accounts.read"
READ_PROPOSALS = "staff.proposals.read"

POWERS: Powers = {
    CHANGE_OWN_PASSWORD: frozenset(Role),
    MANAGE_ACCOUNTS: frozenset({Role.ADMINISTRATOR}),
    MOVE_CLOCK: frozenset({Role.ORGANISER}),
    READ_ACCOUNTS: frozenset({Role.INSPECTOR, Role.AUDITOR, Role.ADMINISTRATOR}),
    READ_PROPOSALS: frozenset(Role) - {Role.CASHIER},
}


def merged(tables: Mapping[str, Powers]) -> dict[str, frozenset[Role]]:
    """Return the tables of the apps as one, sorted by act.

    Raises ValueError if two apps define the same act, or an act has no role.
    """
    roles_by_act: dict[str, frozenset[Role]] = {}
    for app, powers in tables.items():
        for act, roles in powers.items():
            if act in roles_by_act:
                raise ValueError(f"{app} defines the power {act!r}, which another app defines")
            if not roles:
                raise ValueError(f"{app} defines the power {act!r} for no role")
            roles_by_act[act] = roles
    return dict(sorted(roles_by_act.items()))


def tables() -> dict[str, Powers]:
    """Return the powers that each app defines, by the name of the app, in the order of names."""
    by_app = contributions_by_app("powers", "POWERS")
    return {app.name: by_app[app] for app in sorted(by_app, key=lambda app: app.name)}


@cache
def table() -> Powers:
    """Return every act with its roles, sorted by act."""
    return merged(tables())


def holders(act: str) -> frozenset[Role]:
    """Return the roles that may do `act`; an empty set for an unknown act."""
    return table().get(act, frozenset())
