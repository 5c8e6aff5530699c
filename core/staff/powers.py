"""Who may do what: the one table of powers, asked by every service.

`docs/operations.md` shows it to people. An act that is not here can be done by nobody.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a member of staff is. One person may hold several."""

    ORGANISER = "organiser", _("Organiser")
    STEWARDS = "stewards", _("Stewards' desk")
    INSPECTOR = "inspector", _("Inspector")
    AUDITOR = "auditor", _("Auditor")
    SUPERVISOR = "supervisor", _("Office supervisor")
    CASHIER = "cashier", _("Office cashier")
    ADMINISTRATOR = "administrator", _("Administrator")


_powers: dict[str, frozenset[Role]] = {}


def define(act: str, *roles: Role) -> str:
    """Enter an act and the roles that may do it; its name, to be used by the service."""
    if _powers.setdefault(act, frozenset(roles)) != frozenset(roles):
        raise ValueError(f"the power {act!r} is defined twice")
    return act


def holders(act: str) -> frozenset[Role]:
    """The roles that may do `act`; none for an unknown one."""
    return _powers.get(act, frozenset())


def table() -> dict[str, frozenset[Role]]:
    """Every act with its roles, by name."""
    return dict(sorted(_powers.items()))
