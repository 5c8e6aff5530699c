"""Identify the member of staff who acts. Services take this as the argument `by`."""

import dataclasses
import datetime

from core.kernel.errors import Forbidden
from core.staff.powers import Role, holders


class SecondFactorNotSet(Forbidden):
    code = "second_factor_not_set"
    message = "Set up your second factor first."


class PowerMissing(Forbidden):
    code = "power_missing"
    message = "None of your roles may do this."


@dataclasses.dataclass(frozen=True, slots=True)
class StaffActor:
    """A member of staff in one authenticated session.

    `verified` says whether the second factor was given at the sign-on. Until `second_from` the
    person is no second person.
    """

    user_id: int
    session_id: int
    name: str
    roles: frozenset[Role]
    verified: bool = True
    second_from: datetime.datetime | None = None

    def may(self, act: str) -> bool:
        return self.verified and bool(self.roles & holders(act))

    def need(self, act: str) -> None:
        """Raise SecondFactorNotSet or PowerMissing unless one of the roles may do `act`."""
        if not self.verified:
            raise SecondFactorNotSet
        if not self.may(act):
            raise PowerMissing(act=act, roles=sorted(holders(act)))
