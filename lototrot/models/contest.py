"""Store contests, their rules and their publication.

A contest is one pool of bets on two to ten races.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Deferrable, F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.ledger.models import Account
from core.premises.models import Operator, Terminal
from core.staff.models import Proposal, StaffSession, User
from lototrot.engine.bet_type import MAX_LEGS
from lototrot.models.programme import Meeting, Race


class BetType(Guarded):
    """A versioned set of rules: legs, categories, shares, threshold, percentage, rounding step.

    `lototrot.engine.bet_type.BetType` reads `document`. A new version is a new row. Two persons
    record any other bet type than the regulation's own [A19]. `price_cents` is the usual price of a
    bet and `rules` the text of the rules by language; a contest may have others, and either may be
    left open.
    """

    code = models.CharField(_("code"), max_length=40)
    version = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("document"))
    price_cents = models.BigIntegerField(_("price of a bet"), null=True)
    rules = models.JSONField(_("rules"), default=dict)
    authorisation = models.CharField(_("authorisation"), max_length=120)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    proposal = one_to_one(Proposal, _("proposal"), null=True)

    class Meta:
        verbose_name = _("bet type")
        verbose_name_plural = _("bet types")
        constraints = [
            models.UniqueConstraint(fields=["code", "version"], name="bet_type_version"),
            models.CheckConstraint(condition=~Q(authorisation=""), name="bet_type_authorised"),
        ]

    def __str__(self) -> str:
        return f"{self.code} v{self.version}"


class TicketModel(Guarded):
    """A ticket model that the gaming authority has authorised (14.II.2).

    `layout` is the SHA-256 of the layout that it authorises, in hexadecimal
    (`lototrot.services.tickets.layout`); another layout needs another model [E15].
    """

    code = models.CharField(_("code"), max_length=40)
    version = models.PositiveSmallIntegerField(_("version"))
    authorisation = models.CharField(_("authorisation"), max_length=120)
    authorised_on = models.DateField(_("authorised on"))
    multiple = models.BooleanField(_("allows multiple selections"), default=True)
    layout = models.CharField(_("digest of the layout"), max_length=64)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))

    class Meta:
        verbose_name = _("ticket model")
        verbose_name_plural = _("ticket models")
        constraints = [
            models.UniqueConstraint(fields=["code", "version"], name="ticket_model_version"),
            models.CheckConstraint(
                condition=Q(layout__regex="^[0-9a-f]{64}$"), name="ticket_model_layout"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} v{self.version}"


class Contest(Guarded):
    """A contest: one pool of bets. What players rely on does not change once it is on sale.

    `closed_at` is the instant from which no bet counts. Sales also end at `scheduled_close_at` even
    if no one records the closing (14.III.4). Before closing, sales may be stopped and go on again
    [E12]. `offered_masks` has one mask per leg, with bit n-1 set for each number n on sale.
    `code_secret`, encrypted, makes the codes of the contest's tickets. Closing erases it, so that
    no code can be made again. The terms of a draft may change; a discarded draft takes no day [E9].
    `premises_cap_cents` is the most that any one premises may sell in it, or NULL for no such cap.
    `opening` is the proposal by which two persons put it on sale.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        DISCARDED = "discarded", _("Discarded")
        OPEN = "open", _("On sale")
        STOPPED = "stopped", _("Stopped")
        CLOSED = "closed", _("Closed")
        SETTLED = "settled", _("Settled")
        ORDERED = "ordered", _("Payment ordered")

    NEVER_ON_SALE = (State.DRAFT, State.DISCARDED)
    UNCLOSED = (State.OPEN, State.STOPPED)
    UNORDERED = (State.CLOSED, State.SETTLED)
    WITH_SETTLEMENT = (State.SETTLED, State.ORDERED)

    class Cause(models.TextChoices):
        SCHEDULE = "schedule", _("Scheduled time")
        START = "start", _("Confirmed start")
        NOT_RUN = "not_run", _("Race declared not run")
        ORGANISER = "organiser", _("Organiser")

    mutable = (
        "bet_type",
        "bet_type_code",
        "ticket_model",
        "price_cents",
        "max_bets",
        "premises_cap_cents",
        "correction_window_s",
        "correction_approval",
        "scheduled_close_at",
        "state",
        "opened_at",
        "opening",
        "closed_at",
        "closing_cause",
        "offered_masks",
        "code_secret",
    )
    transitions = {
        "draft": ("open", "discarded"),
        "open": ("stopped", "closed"),
        "stopped": ("open", "closed"),
        "closed": ("settled",),
        "settled": ("closed", "ordered"),
    }

    meeting = foreign_key(Meeting, _("meeting"), related_name="contests")
    day = models.DateField(_("day"))
    bet_type = foreign_key(BetType, _("bet type"), related_name="contests")
    bet_type_code = models.CharField(_("code of the bet type"), max_length=40)
    ticket_model = foreign_key(TicketModel, _("ticket model"), null=True)
    price_cents = models.BigIntegerField(_("price of a bet"))
    max_bets = models.PositiveIntegerField(_("most bets on a ticket"))
    premises_cap_cents = models.BigIntegerField(_("most that one premises sell"), null=True)
    correction_window_s = models.PositiveIntegerField(_("correction window (s)"), default=0)
    correction_approval = models.CharField(_("approval of the window"), max_length=120, blank=True)
    scheduled_close_at = models.DateTimeField(_("scheduled closing"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    opened_at = models.DateTimeField(_("opened at"), null=True)
    opening = one_to_one(Proposal, _("opening"), null=True)
    closed_at = models.DateTimeField(_("closed at"), null=True)
    closing_cause = models.CharField(
        _("closed by"), max_length=10, choices=Cause.choices, blank=True
    )
    offered_masks = ArrayField(
        models.IntegerField(), default=list, verbose_name=_("numbers on sale")
    )
    code_secret = models.BinaryField(max_length=80, null=True)
    takings_account = one_to_one(Account, _("account of the takings"))
    created_at = models.DateTimeField(_("registered at"))
    created_by = foreign_key(User, _("registered by"))

    class Meta:
        verbose_name = _("contest")
        verbose_name_plural = _("contests")
        indexes = [
            models.Index(
                fields=["state"],
                condition=Q(state__in=["draft", "open", "stopped", "closed", "settled"]),
                name="contest_unfinished",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["bet_type_code", "day"],
                condition=~Q(state="discarded"),
                name="contest_one_a_day",
            ),
            models.CheckConstraint(condition=Q(price_cents__gt=0), name="contest_price"),
            models.CheckConstraint(condition=Q(max_bets__gte=1), name="contest_max_bets"),
            models.CheckConstraint(
                condition=Q(premises_cap_cents=None) | Q(premises_cap_cents__gt=0),
                name="contest_premises_cap",
            ),
            models.CheckConstraint(
                condition=Q(correction_window_s=0) | ~Q(correction_approval=""),
                name="correction_window_approved",
            ),
            models.CheckConstraint(
                condition=Q(
                    closed_at=None,
                    closing_cause="",
                    state__in=["draft", "discarded", "open", "stopped"],
                )
                | Q(closed_at__isnull=False, state__in=["closed", "settled", "ordered"])
                & ~Q(closing_cause=""),
                name="contest_closed_whole",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "discarded"], opened_at=None, opening=None)
                | (
                    ~Q(state__in=["draft", "discarded"])
                    & Q(opened_at__isnull=False, opening__isnull=False)
                ),
                name="contest_opened_by_two",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("draft", "open", "stopped", "closed")) | Q(code_secret=None),
                name="code_secret_erased",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bet_type_code} {self.day}"


class ContestLeg(Guarded):
    """A leg of a contest: its race and its position on the ticket, from 1.

    The race of a draft's leg may change [E9].
    """

    mutable = ("race",)

    contest = foreign_key(Contest, _("contest"), related_name="legs", db_index=False)
    position = models.PositiveSmallIntegerField(_("position"))
    race = foreign_key(Race, _("race"), related_name="legs")

    class Meta:
        verbose_name = _("race of the contest")
        verbose_name_plural = _("races of the contest")
        ordering = ("contest", "position")
        constraints = [
            models.UniqueConstraint(fields=["contest", "position"], name="leg_position"),
            models.UniqueConstraint(
                fields=["contest", "race"], name="leg_race_once", deferrable=Deferrable.IMMEDIATE
            ),
            models.CheckConstraint(
                condition=Q(position__gte=1, position__lte=MAX_LEGS), name="leg_position_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.race}"


class Publication(Guarded):
    """The rules and the percentage that premises display before selling (14.III.5.2, 6.2)."""

    contest = one_to_one(Contest, _("contest"), related_name="publication")
    rules = models.JSONField(_("rules"))
    prize_percent = models.CharField(_("percentage to prizes"), max_length=20)
    published_at = models.DateTimeField(_("published at"))
    published_by = foreign_key(User, _("published by"))
    published_in = foreign_key(StaffSession, _("published in session"))

    class Meta:
        verbose_name = _("publication")
        verbose_name_plural = _("publications")

    def __str__(self) -> str:
        return str(self.contest)


class ScheduleChange(Guarded):
    """A change of the scheduled closing, made before that closing was reached [E1].

    One person moves it earlier; later, two do [E13].
    """

    contest = foreign_key(Contest, _("contest"), related_name="schedule_changes", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    from_at = models.DateTimeField(_("from"))
    to_at = models.DateTimeField(_("to"))
    changed_at = models.DateTimeField(_("moved at"))
    changed_by = foreign_key(User, _("moved by"))
    changed_in = foreign_key(StaffSession, _("moved in session"))
    proposal = one_to_one(Proposal, _("proposal"), null=True)

    class Meta:
        verbose_name = _("change of the closing")
        verbose_name_plural = _("changes of the closing")
        constraints = [
            models.CheckConstraint(
                condition=Q(changed_at__lt=F("from_at")), name="schedule_moved_in_time"
            ),
            models.CheckConstraint(
                condition=Q(to_at__lt=F("from_at")) | Q(proposal__isnull=False),
                name="schedule_later_by_two",
            ),
            models.UniqueConstraint(fields=["contest", "number"], name="schedule_change_number"),
        ]

    def __str__(self) -> str:
        return str(self.contest)


class DisplayAcknowledgement(Guarded):
    """A terminal's declaration that the programme is on display (14.III.5.2, 14.III.6.2).

    It leaves with the month of its contest: nobody sells for that any more, and nothing is summed
    from it.
    """

    retires = True

    contest = unlocked_key(Contest, _("contest"), related_name="acknowledgements")
    terminal = unlocked_key(Terminal, _("terminal"))
    operator = unlocked_key(Operator, _("operator"))
    acknowledged_at = models.DateTimeField(_("declared on display at"))

    class Meta:
        verbose_name = _("declaration of display")
        verbose_name_plural = _("declarations of display")
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "terminal", "operator"], name="display_acknowledged_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.contest} · {self.terminal}"
