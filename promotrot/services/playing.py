"""Play a ticket at its terminal, act by act, to its end (15.II.3, 15.III.2, 15.III.6.3).

Each act has a number. The same number gets the same answer again; a number out of turn is refused.
The operating system's generator alone draws the outcome of an act. The outcome is on record
before it is answered, and no earlier win has a part in it [P3].
"""

import dataclasses
import datetime
import json
import secrets
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from core.database.kept import Facts
from core.database.statements import call_function
from core.database.together import Together, need_on_disk
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, DomainError, NotFound
from core.premises.access import REFUSALS, TerminalCredentials, bare_terminal
from promotrot.engine.game import PredrawnGame
from promotrot.engine.plays import ActOutOfTurn, Step, legal_acts, perform, replay
from promotrot.models.play import PlayEnd
from promotrot.selectors.facts import REVEAL, EmissionFacts, emission_facts
from promotrot.selectors.left import play_left
from promotrot.services.issuing import Issue, issues
from promotrot.services.outcomes import Outcome, played_outcome, predrawn_outcome
from promotrot.services.selling import Dealt, Sold
from promotrot.services.vouchers import Issued, Road, claim_days, issued_now, issued_of_ticket

_TRIES: Final = 5
_PLAYS_KEPT: Final = 4_096


class PlayUnknown(NotFound):
    code = "play_unknown"
    message = "These premises have sold no such play."


class PlayArchived(PlayUnknown):
    """`data["month"]` is the month with which it left, `data["kept"]` where its archive is kept."""

    code = "play_archived"
    message = "That play won nothing and has left. The archive of its month has it."


class PlayElsewhere(Conflict):
    code = "play_elsewhere"
    message = "The play belongs to another terminal of these premises."


class PlayEnded(Conflict):
    code = "play_ended"
    message = "The play has ended."


class ActAlreadyDone(Conflict):
    code = "act_already_done"
    message = "An act with that number is on record, and it is another one."


class PlayBusy(Conflict):
    code = "play_busy"
    message = "Other acts of the same play are under way."
    transient = True


_REFUSALS: dict[str, type[DomainError]] = REFUSALS | {
    error.code: error for error in (PlayUnknown, PlayElsewhere)
}


def unknown(ident: uuid.UUID) -> PlayUnknown:
    """Return the refusal of a play that is not there, which says if it left with its month."""
    left = play_left(ident)
    return PlayUnknown() if left is None else PlayArchived(month=left.month, kept=left.kept)


@dataclass(frozen=True, slots=True)
class Ending:
    """The stored end of a play: all that the screen may show of it."""

    cause: str
    tier: int
    extra_tier: int
    awarded_cents: int
    extra_cents: int
    picture: Mapping[str, Any] | None
    ended_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class PlayView:
    """The state of a play `at` an instant. `legal` lists the acts that may come next.

    `replayed` is true if the act was on record already and nothing was done.
    """

    uuid: uuid.UUID
    facts: EmissionFacts
    terminal_id: int
    operator_id: int
    sold_at: datetime.datetime
    at: datetime.datetime
    steps: tuple[Step, ...]
    legal: tuple[str, ...]
    ending: Ending | None
    vouchers: tuple[Issued, ...]
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    """A play as `promotrot_look` shows it, or as this process has left it itself."""

    terminal_id: int
    ticket_id: int
    emission_id: int
    opening: int
    position: int
    premises_id: int
    operator_id: int
    sold_at: datetime.datetime
    at: datetime.datetime
    acts: tuple[tuple[str, int, int], ...]
    ending: dict[str, Any] | None


_act: Final = Together("promotrot_act", (str, datetime.datetime | None))
_under_way: Final[Facts[_Seen]] = Facts(most=_PLAYS_KEPT)
"""Plays that this process has sold or played, by the token of their terminal: the next act need not
look. `promotrot_act` writes nothing where its play is another than the one that is kept."""


def play_state(*, credentials: TerminalCredentials, ident: uuid.UUID) -> PlayView:
    """Return the play, for the terminal where it is.

    Raises PlayUnknown, PlayArchived, PlayElsewhere.
    """
    seen = _look(credentials, ident)
    need_on_disk()
    return _seen_again(credentials, ident, seen, Road.INQUIRY)


def play_sold(*, credentials: TerminalCredentials, sold: Sold, dealt: Dealt) -> PlayView:
    """Return a play that has just been sold, and remember it for its first act."""
    seen = _Seen(
        terminal_id=sold.terminal_id,
        ticket_id=dealt.ticket_id,
        emission_id=sold.facts.pk,
        opening=dealt.opening,
        position=dealt.position,
        premises_id=dealt.premises_id,
        operator_id=sold.operator_id,
        sold_at=sold.sold_at,
        at=sold.sold_at,
        acts=(),
        ending=None,
    )
    _under_way.put(credentials.token_digest, sold.uuid, fact=seen)
    return _view(sold.uuid, seen, ())


def play_act(
    *, credentials: TerminalCredentials, ident: uuid.UUID, number: int, act: str
) -> PlayView:
    """Do the player's act with that number (from 1), or answer it again. Return the play after it.

    The act that ends the play also awards it and issues its vouchers, in the same transaction.
    Raises PlayUnknown, PlayArchived, PlayElsewhere, PlayEnded, ActOutOfTurn, ActAlreadyDone, and
    PlayBusy if other acts come first again and again.
    """
    seen = _under_way.get(credentials.token_digest, ident)
    if seen is not None and number == len(seen.acts) + 1 and seen.ending is None:
        with suppress(ActOutOfTurn):  # what may come next is only told after a look, below
            done = _record(credentials, ident, seen, act)
            if done is not None:
                return done
    for _ in range(_TRIES):
        seen = _look(credentials, ident)
        if number == len(seen.acts) + 1 and seen.ending is None:
            try:
                done = _record(credentials, ident, seen, act)
            except ActOutOfTurn:  # it tells what may be done after the acts before
                need_on_disk()
                raise
            if done is not None:
                return done
            continue
        need_on_disk()
        if number <= len(seen.acts):
            if seen.acts[number - 1][0] != act:
                raise ActAlreadyDone(done=seen.acts[number - 1][0])
            again = _seen_again(credentials, ident, seen, Road.REPLAY)
            return dataclasses.replace(again, replayed=True)
        if seen.ending is not None:
            raise PlayEnded
        raise ActOutOfTurn(next_number=len(seen.acts) + 1)
    raise PlayBusy


def _look(credentials: TerminalCredentials, ident: uuid.UUID) -> _Seen:
    row = call_function("promotrot_look", token=credentials.token_digest, uuid=ident)
    if row[0] == PlayArchived.code:
        raise unknown(ident)
    if row[0] is not None:
        raise _REFUSALS[row[0]]()
    acts, ending = row[-2:]
    done = tuple(tuple(each) for each in json.loads(acts))
    columns = [*row[1:-2], done, None if ending is None else json.loads(ending)]
    return _Seen(*columns)


def _record(
    credentials: TerminalCredentials, ident: uuid.UUID, seen: _Seen, act: str
) -> PlayView | None:
    """Draw the outcome of an act and write it. Return None if the play is not as it was seen."""
    facts = emission_facts(seen.emission_id)
    step, outcome = _drawn(facts, seen, act)
    day = natural_day(seen.at)
    issued: tuple[Issue, ...] = () if outcome is None else issues(outcome, ident, day)
    answer, at = _act(
        token=credentials.token_digest,
        uuid=ident,
        ticket=seen.ticket_id,
        emission=seen.emission_id,
        opening=seen.opening,
        position=seen.position,
        before=json.dumps(seen.acts),
        act=act,
        draw=step.draw,
        shown=step.shown,
        day=day,
        claim_days=claim_days(day),
        ending=None if outcome is None else json.dumps(outcome.document()),
        vouchers=json.dumps([issue.document() for issue in issued]),
    )
    if answer != "recorded":
        return None
    ending = None if outcome is None else outcome.document() | {"ended_at": at}
    acts = (*seen.acts, (step.act, step.draw, step.shown))
    now = dataclasses.replace(seen, at=at, acts=acts, ending=ending)
    _under_way.put(credentials.token_digest, ident, fact=now)
    return _view(ident, now, tuple(issued_now(issue, now.premises_id, at) for issue in issued))


def _drawn(facts: EmissionFacts, seen: _Seen, act: str) -> tuple[Step, Outcome | None]:
    """Return the step of a legal act, and the outcome of the play if the act ends it.

    Raises ActOutOfTurn.
    """
    if isinstance(facts.game, PredrawnGame):
        if act != REVEAL:
            raise ActOutOfTurn(legal=[REVEAL])
        outcome = predrawn_outcome(facts, seen.opening, seen.position, PlayEnd.Cause.PLAYED)
        return Step(act, 0, outcome.tier), outcome
    mechanic = facts.game.kind.mechanic
    play = replay(mechanic, [(done, draw) for done, draw, _ in seen.acts])
    legal = legal_acts(mechanic, play)
    if act not in legal:
        raise ActOutOfTurn(legal=[*legal])
    play = perform(mechanic, play, act, secrets.randbelow(legal[act]))
    if play.award is None:
        return play.steps[-1], None
    return play.steps[-1], played_outcome(facts, seen.opening, seen.position, play.award)


def _seen_again(
    credentials: TerminalCredentials, ident: uuid.UUID, seen: _Seen, road: Road
) -> PlayView:
    """Return a play as it is, with the codes that the operator signed on may have again."""
    ending = seen.ending
    vouchers: tuple[Issued, ...] = ()
    is_refund = ending is not None and ending["cause"] == PlayEnd.Cause.REFUND
    if ending is not None and (ending["awarded_cents"] or ending["extra_cents"] or is_refund):
        terminal = bare_terminal(credentials)
        vouchers = issued_of_ticket(seen.ticket_id, terminal=terminal, road=road)
    return _view(ident, seen, vouchers)


def _view(ident: uuid.UUID, seen: _Seen, vouchers: tuple[Issued, ...]) -> PlayView:
    facts = emission_facts(seen.emission_id)
    steps = tuple(Step(*act) for act in seen.acts)
    ending = None if seen.ending is None else _ending(seen.ending)
    return PlayView(
        uuid=ident,
        facts=facts,
        terminal_id=seen.terminal_id,
        operator_id=seen.operator_id,
        sold_at=seen.sold_at,
        at=seen.at,
        steps=steps,
        legal=() if ending else _legal(facts, steps),
        ending=ending,
        vouchers=vouchers,
    )


def _legal(facts: EmissionFacts, steps: tuple[Step, ...]) -> tuple[str, ...]:
    if isinstance(facts.game, PredrawnGame):
        return (REVEAL,)
    mechanic = facts.game.kind.mechanic
    return (*legal_acts(mechanic, replay(mechanic, [(s.act, s.draw) for s in steps])),)


def _ending(row: Mapping[str, Any]) -> Ending:
    return Ending(
        row["cause"],
        row["tier"],
        row["extra_tier"],
        row["awarded_cents"],
        row["extra_cents"],
        row["picture"],
        datetime.datetime.fromisoformat(str(row["ended_at"])),
    )
