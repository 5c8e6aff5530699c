"""Make the poster of a meeting: programme, approval, rules, percentage, price (14.III.6.2)."""

import datetime
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.kernel.errors import Conflict
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Rule,
    Spacer,
    Table,
    Title,
)
from core.receipts.formats import (
    format_cents,
    format_count,
    format_date,
    format_moment,
    format_percent,
    format_scheduled,
)
from core.receipts.output import Output, need_language, render
from core.receipts.paper import Paper
from lototrot.models.contest import Contest
from lototrot.models.programme import FederationApproval, Meeting
from lototrot.selectors.cards import RaceCard, meeting_cards
from lototrot.selectors.contests import rules_of
from lototrot.services.contest.contests import ProgrammeNotApproved
from lototrot.services.tickets.slips import notices


class NothingPublished(Conflict):
    code = "nothing_published"
    message = "No contest is published, so there are no rules and no percentage to display (6.2)."


def meeting_poster(*, meeting: Meeting, output: Output, language: str) -> bytes:
    """Return the poster of a meeting with every published contest.

    Raise as `poster_document` does.
    """
    return _poster(meeting, Contest.objects.filter(meeting=meeting), output, language)


def contest_poster(*, contest: Contest, output: Output, language: str) -> bytes:
    """Return the poster of one contest with its meeting's programme."""
    return _poster(contest.meeting, [contest], output, language)


def _poster(meeting: Meeting, contests: Iterable[Contest], output: Output, language: str) -> bytes:
    need_language(language)
    document = poster_document(
        meeting=meeting,
        contests=contests,
        language=language,
        simulated=clock.is_simulated(),
        at=clock.now(),
    )
    return render(document, output=output, created_at=meeting.imported_at, paper=Paper.A4)


def poster_document(
    *,
    meeting: Meeting,
    contests: Iterable[Contest],
    language: str,
    simulated: bool,
    at: datetime.datetime,
) -> Document:
    """Return the poster as of an instant. Raise ProgrammeNotApproved or NothingPublished."""
    approval = FederationApproval.objects.filter(meeting=meeting).first()
    if approval is None:
        raise ProgrammeNotApproved
    published = [contest for contest in contests if hasattr(contest, "publication")]
    if not published:
        raise NothingPublished(meeting=meeting.pk)
    with override(language):
        blocks = (
            Title(meeting.name),
            Line(format_date(meeting.day, language), Align.CENTRE, Emphasis.LARGE),
            *_approval(meeting, approval, language),
            *(block for contest in published for block in _contest(contest, language)),
            Notice("\n".join(notices())),
            Title(_("Official programme")),
            *_programme(meeting, language, at),
        )
    return Document(language=language, blocks=blocks, simulated=simulated)


def _approval(meeting: Meeting, approval: FederationApproval, language: str) -> tuple[Block, ...]:
    return (
        Rule(),
        Pair(_("Programme"), meeting.reference),
        Pair(_("Approved by"), approval.approved_by),
        Pair(_("Approval"), approval.reference),
        Pair(_("Approved on"), format_moment(approval.approved_at, language)),
        Rule(),
    )


def _contest(contest: Contest, language: str) -> tuple[Block, ...]:
    rules = rules_of(contest.bet_type, contest.day)
    legs = contest.legs.select_related("race__racecourse").order_by("position")
    multiple = bool(contest.ticket_model and contest.ticket_model.multiple)
    how = (
        _("Bets are taken at authorised premises until the closing, one or more horses per race.")
        if multiple
        else _("Bets are taken at authorised premises until the closing, one horse per race.")
    )
    max_bets = format_count(contest.max_bets, language)
    most = (Pair(_("Most bets on a ticket"), max_bets),) if multiple else ()
    categories = ", ".join(f"{hits}/{rules.legs}" for hits in rules.categories)
    return (
        Title(" · ".join(dict.fromkeys(("Lototrot", rules.name)))),
        Line(how),
        Pair(_("Races in the bet"), str(rules.legs)),
        Table(
            rows=tuple(
                (str(leg.position), leg.race.racecourse.name, str(leg.race.number), leg.race.name)
                for leg in legs
            ),
            header=(_("Order"), _("Racecourse"), _("Race"), _("Name")),
            aligns=(Align.CENTRE, Align.LEFT, Align.CENTRE, Align.LEFT),
        ),
        Pair(_("Price of a bet"), format_cents(contest.price_cents, language)),
        *most,
        Pair(
            _("Closing, at the latest"),
            format_scheduled(
                contest.closed_at or contest.scheduled_close_at, language, contest.day
            ),
        ),
        Pair(_("Prize categories"), categories),
        Pair(
            _("To prizes"),
            format_percent(contest.publication.prize_percent, language),
            Emphasis.LARGE,
        ),
        Line(_("Rules"), emphasis=Emphasis.BOLD),
        Line(contest.publication.rules[language]),
        Rule(),
    )


def _programme(meeting: Meeting, language: str, at: datetime.datetime) -> list[Block]:
    cards = meeting_cards(meeting)
    blocks = [block for card in cards for block in _race(card, language)]
    if any(runner.withdrawn for card in cards for runner in card.runners):
        blocks.append(Line(_("Withdrawals known at") + f" {format_moment(at, language)}"))
    return blocks


def _race(card: RaceCard, language: str) -> list[Block]:
    race = card.race
    heading = f"{race.racecourse.name} · {race.number}. {race.name}"
    start = format_scheduled(race.scheduled_start_at, language, race.meeting.day)
    about = [" · ".join(filter(None, (start, _metres(race.distance_m)))), card.conditions]
    names = [
        row.runner.name + (f" ({_('withdrawn')})" if row.withdrawn else "") for row in card.runners
    ]
    columns = [
        (_("Number"), Align.CENTRE, [str(row.runner.number) for row in card.runners]),
        (_("Horse"), Align.LEFT, names),
        (_("Driver"), Align.LEFT, [row.runner.driver for row in card.runners]),
        (_("Distance"), Align.RIGHT, [_metres(row.runner.distance_m) for row in card.runners]),
    ]
    headers, aligns, cells = zip(*(column for column in columns if any(column[2])), strict=True)
    return [
        Line(heading, emphasis=Emphasis.BOLD),
        *(Line(line) for line in about if line),
        Table(rows=tuple(zip(*cells, strict=True)), header=headers, aligns=aligns),
        Spacer(),
    ]


def _metres(distance: int | None) -> str:
    return f"{distance} m" if distance else ""
