"""Draw a race without a classification (14.III.5.4.2 to 14.III.5.4.4) [B7, B8, B12].

The declaration announces the draw (`starts`), `core.draws` carries it out, and its certificate is
the race's result (`selectors.draws`).
"""

from typing import Any

from django.utils.translation import gettext, override

from core.draws.kinds import Certified, Facts, Field, Kind, Matter
from core.kernel.canonical import Json
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.kernel.languages import LANGUAGES
from core.kernel.regulation import shipped
from core.proofs.wire import instant
from core.receipts.formats import format_date
from lototrot.engine.races import draw_field
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.draws import KIND, race_of
from lototrot.selectors.races import RaceRecord, race_record
from lototrot.services.races.course import WithdrawnTooLate, race_get, race_hold
from lototrot.services.seal.sealing import need_sealed, sealed


class NothingToDraw(Conflict):
    code = "nothing_to_draw"
    message = "The race is not declared to have no classification."


class DrawBeforeClosing(Conflict):
    code = "draw_before_closing"
    message = "A draw begins only once every contest on the race is closed [E1, B12]."


class DrawUnconfirmed(Conflict):
    """Withdrawals of the race are not confirmed. `data["numbers"]` lists their numbers."""

    code = "draw_withdrawal_unconfirmed"
    message = "A withdrawal of the race waits: confirm or reject it before the draw begins."


def _hold(subject: str) -> None:
    race_hold(race_get(race_of(subject)))


def _matter(subject: str) -> Matter:
    race: Any = Race.objects.select_related("racecourse", "meeting").get(pk=race_of(subject))
    record = race_record(race.pk)
    declaration = _declaration(record)
    title = {}
    for language in LANGUAGES:
        with override(language):
            title[language] = gettext("Race %(number)s, %(racecourse)s, %(day)s") % {
                "number": race.number,
                "racecourse": race.racecourse.name,
                "day": format_date(race.meeting.day, language),
            }
    return Matter(
        title=title,
        reason=declaration.reason,
        declared_at=declaration.declared_at,
        due_at=record.draw_due_at,
        facts=_facts(race, record, declaration),
    )


def _declaration(record: RaceRecord) -> RaceDeclaration:
    if record.declaration is None:
        raise NothingToDraw(race=record.race_id)
    return record.declaration


def _facts(race: Race, record: RaceRecord, declaration: RaceDeclaration) -> dict[str, Json]:
    """Return the facts from which the field follows [B7, B8], and the time limit of the draw."""
    figures = shipped().in_force(natural_day(declaration.declared_at))
    return {
        "race": race.pk,
        "number": race.number,
        "racecourse": race.racecourse.name,
        "meeting": race.meeting.reference,
        "day": race.meeting.day.isoformat(),
        "declaration": declaration.kind,
        "recorded_at": instant(declaration.recorded_at),
        "started_at": instant(record.start.actual_start_at) if record.start else None,
        "within_s": figures.draw_within_s,
        "programme": [*record.programme],
        "withdrawn": [*sorted(record.withdrawn)],
        "left": [*sorted(record.left)],
        "runners": {str(r.number): r.name for r in race.runners.order_by("number")},
        "contests": [_sealed(contest) for contest in _contests(race.pk)],
    }


def _sealed(contest: Contest) -> dict[str, Json]:
    """Return a contest that needs the result, with the seal that was published before the draw."""
    seal = sealed(contest)
    digest = bytes(seal.entry.digest).hex() if seal else None
    return {"contest": contest.pk, "seal": digest}


def _contests(race_id: int) -> list[Contest]:
    """Return the contests on a race that were put on sale."""
    on_sale = Contest.objects.filter(legs__race_id=race_id).exclude(state__in=Contest.NEVER_ON_SALE)
    return list(on_sale.order_by("pk"))


def _field(subject: str) -> Field:
    """Return the numbers in the draw.

    All are drawn, so that the order of arrival is complete [B12]. Raise NothingToDraw,
    DrawBeforeClosing, ContestNotSealed, DrawUnconfirmed or WithdrawnTooLate.
    """
    record = race_record(race_of(subject))
    _declaration(record)
    for contest in _contests(record.race_id):
        if contest.state in Contest.UNCLOSED:
            raise DrawBeforeClosing(contest=contest.pk)
        need_sealed(contest)
    if record.unconfirmed:
        raise DrawUnconfirmed(numbers=[*record.unconfirmed])
    if record.withdrawn_late:
        raise WithdrawnTooLate(numbers=sorted(record.withdrawn_late))
    numbers = draw_field(record.facts())
    return Field([str(number) for number in numbers], len(numbers))


def _certified(draw: Certified) -> None:
    """Do nothing: the certificate is the result, and the sweeper finds the due settlement."""


def _lines(facts: Facts) -> list[tuple[str, str]]:
    """Return the facts of the minutes as text, in the active language."""
    words = {
        RaceDeclaration.Kind.NOT_RUN.value: gettext("Not run"),
        RaceDeclaration.Kind.SUSPENDED.value: gettext("Started and suspended"),
        RaceDeclaration.Kind.ALL_DISQUALIFIED.value: gettext("All disqualified"),
        RaceDeclaration.Kind.NO_WINNER.value: gettext("Run without a winner"),
    }
    rows = [
        (gettext("Programme"), facts["meeting"]),
        (gettext("Race"), f"{facts['racecourse']} · {facts['number']}"),
        (gettext("Declaration"), words[facts["declaration"]]),
        (gettext("Programme numbers"), _numbers(facts["programme"])),
        (gettext("Withdrawn"), _numbers(facts["withdrawn"])),
        (gettext("Left at the start"), _numbers(facts["left"])),
    ]
    return [row for row in rows if row[1]]


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _names(facts: Facts) -> dict[str, str]:
    return dict(facts.get("runners", {}))


RACE_DRAW = Kind(
    name=KIND,
    hold=_hold,
    matter=_matter,
    field=_field,
    certified=_certified,
    lines=_lines,
    names=_names,
)
