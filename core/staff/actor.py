"""Identify the member of staff who acts. Services take this as the argument `by`."""

import dataclasses
import datetime

from core.kernel.errors import Forbidden
from core.staff.powers import CHANGE_OWN_PASSWORD, Role, holders


class PasswordNotOwn(Forbidden):
    code = "password_not_own"
    message = "Others know your password: set one of your own first."


class SecondFactorNotSet(Forbidden):
    code = "second_factor_not_set"
    message = "Set up your second factor first."


class PowerMissing(Forbidden):
    code = "power_missing"
    message = "None of your roles may do this."


@dataclasses.dataclass(frozen=True, slots=True)
class StaffActor:
    """A member of staff in one authenticated session.

    `verified` says whether the second factor was given at the sign-on. `own_password` says whether
    nobody else knows the password; without it, the person may only change it. Until `second_from`
    the person is no second person.
    """

    user_id: int
    session_id: int
    name: str
    roles: frozenset[Role]
    verified: bool = True
    own_password: bool = True
    second_from: datetime.datetime | None = None

    def may(self, act: str) -> bool:
        is_open = self.verified if self.own_password else act == CHANGE_OWN_PASSWORD
        return is_open and bool(self.roles & holders(act))

    def need(self, act: str) -> None:
        """Raise PasswordNotOwn, SecondFactorNotSet or PowerMissing unless a role may do `act`."""
        if not self.own_password and act != CHANGE_OWN_PASSWORD:
            raise PasswordNotOwn
        if self.own_password and not self.verified:
            raise SecondFactorNotSet
        if not self.may(act):
            raise PowerMissing(act=act, roles=sorted(holders(act)))
