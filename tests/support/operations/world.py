"""Make a small world in which operations are called: values for the parts of addresses and
members of bodies, and the headers of each caller.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from core.admin_support.roles import ANYONE, ENTITY, SELLER, TERMINAL
from core.premises.models import Premises
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from lototrot.models.contest import Contest
from promotrot.models.emission import Emission
from tests.support import emitting, factories, paying
from tests.support.lototrot.putting_on_sale import opened, published
from tests.support.operations.called import Called

Headers = dict[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class World:
    """`callers` are headers by who calls, `values` texts by `folder/name of a part`, `members`
    values by the name of a member of a body. `people` are the accounts of members of staff by
    role, `seller` and `entity` the terminals.
    """

    callers: Mapping[str, Headers]
    values: Mapping[str, str]
    members: Mapping[str, Any]
    people: Mapping[str, User]
    seller: factories.Point
    entity: factories.Point
    emission: Emission

    def path(self, called: Called) -> dict[str, str]:
        """Return values for the parts of an operation's address."""
        folders = "/".join(called.path.split("/")[3:5])
        values = {}
        for each in called.parameters("path"):
            name = each["name"]
            for key in (f"{folders}/{name}", f"{called.tag}/{name}", name):
                if key in self.values:
                    values[name] = self.values[key]
                    break
        return values

    def body(self, sample: Any) -> Any:
        """Return the example of a body with things of this world in it."""
        if not isinstance(sample, dict):
            return sample
        return {name: self._member(name, value) for name, value in sample.items()}

    def _member(self, name: str, value: Any) -> Any:
        fits = name in self.members and type(self.members[name]) is type(value)
        return self.members[name] if fits else value


def world() -> World:
    """Make a world: a paid day of races, a contest and an emission on sale, a prize."""
    for _ in range(2):
        factories.staff(Role.ADMINISTRATOR)  # who give new accounts
    people = {role.value: User.objects.get(pk=factories.staff(role).user_id) for role in Role}
    point, entity = factories.point(), factories.point(paying.office(Premises.Kind.ENTITY_OFFICE))
    emission = emitting.opened(emitting.small())
    (play,) = emitting.sold(emission, 1, point)
    return _on_a_day(World({}, {"play": str(play)}, {}, people, point, entity, emission))


def later(before: World) -> World:
    """Return it on another day: all have signed on again, and there is another prize to be paid."""
    signed_on = {
        name: dataclasses.replace(point, session_token=factories.operator_signed_on(point))
        for name, point in (("seller", before.seller), ("entity", before.entity))
    }
    return _on_a_day(dataclasses.replace(before, **signed_on))


def _on_a_day(around: World) -> World:
    """Return it with a day of races that is paid, a contest on sale, and all signed on."""
    point, entity, emission = around.seller, around.entity, around.emission
    won, *_ = paying.settled(1, losers=1)
    organiser = factories.staff(Role.ORGANISER)
    draft = factories.contest(state=Contest.State.DRAFT)
    contest = opened(organiser, published(organiser, draft))
    factories.acknowledge(contest, point)
    callers = {
        ANYONE: {},
        TERMINAL: _terminal(point),
        SELLER: _terminal(point) | {"X-Operator-Session": point.session_token},
        ENTITY: _terminal(entity) | {"X-Operator-Session": entity.session_token},
        **{role: bearer(user) for role, user in around.people.items()},
    }
    values = _values(contest, emission, point) | {
        "lototrot/tickets/ident": str(won.ticket.uuid),
        "promotrot/plays/ident": around.values["play"],
        "promotrot/office/ident": around.values["play"],
        "play": around.values["play"],
        "race": str(factories.races_of(contest)[0].pk),
    }
    members = {
        "contest": contest.pk,
        "meeting": contest.meeting_id,
        "terminal": point.terminal.code,
        "premises": point.premises.code,
        "emission": emission.pk,
        "game": emission.game.code,
        "code": won.code,
    }
    return dataclasses.replace(around, callers=callers, values=values, members=members)


def _values(contest: Contest, emission: Emission, point: factories.Point) -> dict[str, str]:
    return {
        "contest": str(contest.pk),
        "meeting": str(contest.meeting_id),
        "lototrot/bet-types/code": contest.bet_type_code,
        "premises/code": point.premises.code,
        "terminals/code": point.terminal.code,
        "promotrot/emissions/code": emission.game.code,
        "promotrot/public/code": emission.game.code,
        "promotrot/games/code": emission.game.code,
        "promotrot/number": str(emission.number),
        "emission": str(emission.pk),
        "version": "1",
        "premises/number": str(point.operator.number),
        "authorisation": str(point.premises.authorisations.first().pk),
        "log/sequence": "1",
        "journal/act": "1",
        "problems/code": "power_missing",
    }


def _terminal(point: factories.Point) -> Headers:
    return {"Authorization": f"Terminal {point.token}"}


def bearer(user: User) -> Headers:
    """Sign a person on. Return the headers."""
    return {"Authorization": f"Bearer {session_start(user=user, verified=True)[1]}"}
