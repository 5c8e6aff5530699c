"""Store virtual tickets and their plays. Each event of a play is a row."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.premises.models import Operator, Premises, Terminal
from core.staff.models import Proposal, StaffSession, User
from promotrot.engine.situations import MAX_ACT_CHARS
from promotrot.models.emission import Emission


class PlayTicket(Guarded):
    """A sold virtual ticket of an emission: the right to play it at once (15.I.2, 15.III.6.1).

    `opening` and `position` say which ticket of the emission it is. Until it is played, only the
    emission's key can tell its prize. One that won nothing leaves with its month, with its end
    (ADR 91).
    """

    retires = True
    looks_recorded = True

    uuid = models.UUIDField(_("UUID"), unique=True)
    emission = unlocked_key(Emission, _("emission"), related_name="play_tickets")
    opening = models.PositiveIntegerField(_("opening"))
    position = models.PositiveIntegerField(_("position"))
    premises = unlocked_key(Premises, _("premises"))
    terminal = unlocked_key(Terminal, _("terminal"))
    operator = unlocked_key(Operator, _("operator"))
    sold_at = models.DateTimeField(_("time of sale"))
    price_cents = models.BigIntegerField(_("price"))

    class Meta:
        verbose_name = _("virtual ticket")
        verbose_name_plural = _("virtual tickets")
        indexes = [models.Index(fields=["terminal", "id"], name="play_of_terminal")]
        constraints = [
            models.UniqueConstraint(
                fields=["emission", "opening", "position"], name="play_sold_once"
            ),
            models.CheckConstraint(condition=Q(price_cents__gt=0), name="play_has_price"),
        ]

    def __str__(self) -> str:
        return str(self.uuid)


class PlayAct(Guarded):
    """An act of the player with its answer (15.II.3, 15.III.2).

    `draw` is the random integer that decided it, or 0 if there was no chance in it. `shown` is what
    the screen showed: a tier, or in a ladder a rung (-1: a fall). The acts of a play that ended in
    the month of its sale leave with that month, and of no other play (ADR 63).
    """

    retires = True

    ticket = foreign_key(PlayTicket, _("virtual ticket"), related_name="acts", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    act = models.CharField(_("act"), max_length=MAX_ACT_CHARS)
    draw = models.BigIntegerField(_("random integer"))
    shown = models.SmallIntegerField(_("shown"))
    terminal = unlocked_key(Terminal, _("terminal"))
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("act of a player")
        verbose_name_plural = _("acts of players")
        constraints = [
            models.UniqueConstraint(fields=["ticket", "number"], name="play_act_number"),
            models.CheckConstraint(condition=Q(number__gte=1, draw__gte=0), name="play_act_drawn"),
        ]

    def __str__(self) -> str:
        return f"{self.ticket} · {self.number}"


class PlayEnd(Guarded):
    """The end of a play: its award, or that its price is due back [P11, P19].

    `tier` is the prize's tier in the game's table, 0 for none. `extra_tier` is the tier of an extra
    prize in the plan of a probabilistic emission that pays an earlier shortfall [P2].
    `awarded_cents` counts for the percentage and `extra_cents` does not. Both include cash and
    equivalents. It leaves with its ticket.
    """

    retires = True

    class Cause(models.TextChoices):
        PLAYED = "played", _("Played to its end")
        UNFINISHED = "unfinished", _("Left unfinished, the result stands")
        STOPPED = "stopped", _("Ended at the Central Office, the standing prize")
        REFUND = "refund", _("No prize stands, the price is due back")

    ticket = one_to_one(PlayTicket, _("virtual ticket"), related_name="end")
    cause = models.CharField(_("cause"), max_length=10, choices=Cause.choices)
    tier = models.PositiveSmallIntegerField(_("tier"))
    extra_tier = models.PositiveSmallIntegerField(_("extra tier"), default=0)
    awarded_cents = models.BigIntegerField(_("awarded"))
    extra_cents = models.BigIntegerField(_("extra prize"), default=0)
    picture = models.JSONField(_("picture"), null=True)
    ended_at = models.DateTimeField(_("ended at"))

    class Meta:
        verbose_name = _("end of a play")
        verbose_name_plural = _("ends of plays")
        constraints = [
            models.CheckConstraint(
                condition=Q(awarded_cents__gte=0, extra_cents__gte=0), name="play_end_cents"
            ),
            models.CheckConstraint(
                condition=~Q(cause="refund")
                | Q(tier=0, extra_tier=0, awarded_cents=0, extra_cents=0, picture=None),
                name="play_end_refund_awards_nothing",
            ),
        ]
        indexes = [
            models.Index(fields=["ended_at"], condition=Q(cause="refund"), name="play_end_refund")
        ]

    def __str__(self) -> str:
        return str(self.ticket)


class OfficeEnd(Guarded):
    """The act of two persons at the Central Office that ends a play nobody else can finish [P19].

    The premises have no terminal left or no authorisation. The play has its `PlayEnd`, too.
    """

    ticket = one_to_one(PlayTicket, _("virtual ticket"), related_name="office_end")
    proposal = one_to_one(Proposal, _("proposal"))
    reason = models.CharField(_("reason"), max_length=200)
    ended_at = models.DateTimeField(_("ended at"))

    class Meta:
        verbose_name = _("end of a play at the Central Office")
        verbose_name_plural = _("ends of plays at the Central Office")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="office_end_has_reason")
        ]

    def __str__(self) -> str:
        return str(self.ticket)


class PlayMove(Guarded):
    """The move of an unfinished play by staff to another terminal of the same premises [P11]."""

    ticket = foreign_key(PlayTicket, _("virtual ticket"), related_name="moves", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    from_terminal = foreign_key(Terminal, _("from terminal"))
    to_terminal = foreign_key(Terminal, _("to terminal"))
    reason = models.CharField(_("reason"), max_length=200)
    moved_at = models.DateTimeField(_("moved at"))
    moved_by = foreign_key(User, _("moved by"))
    moved_in = foreign_key(StaffSession, _("moved in session"))

    class Meta:
        verbose_name = _("move of a play")
        verbose_name_plural = _("moves of plays")
        constraints = [
            models.UniqueConstraint(fields=["ticket", "number"], name="play_move_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1) & ~Q(from_terminal=F("to_terminal")),
                name="play_move_moves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ticket} · {self.number}"
