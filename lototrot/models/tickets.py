"""Store tickets. A ticket row never changes; each later event about it is another row."""

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Least
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.kernel.codes import DIGEST_BYTES
from core.premises.models import Operator, Premises, Terminal
from core.staff.models import Proposal
from lototrot.engine.bet_type import MAX_LEGS
from lototrot.models.contest import Contest

LEG_COLUMNS = tuple(f"leg_{position}" for position in range(1, MAX_LEGS + 1))
REQUEST_DIGEST_BYTES = 16


class Ticket(Guarded):
    """A registered ticket: one or several bets on one contest (14.II, 14.III.1).

    `leg_1` to `leg_10` have bit n-1 set for each marked number n of that leg; legs that the contest
    does not have are NULL. `quick_legs` has bit i-1 set when the numbers of leg i were drawn, by
    the system or by the terminal that showed them first. `code_digest` is the only trace of the
    bearer code. `request_digest` is 16 bytes of the SHA-256 of the terminal's request; it tells a
    replay from another request with the same UUID. The migration has the columns in an order
    without padding (docs/adr/0051).
    `code_commitment` is what the seal contains of the code: the holder can check it, and no one can
    compute the code from it.
    """

    retires = True
    looks_recorded = True

    uuid = models.UUIDField(_("UUID"), unique=True)
    contest = unlocked_key(Contest, _("contest"), related_name="tickets")
    premises = unlocked_key(Premises, _("premises"))
    terminal = unlocked_key(Terminal, _("terminal"))
    operator = unlocked_key(Operator, _("operator"))
    sold_at = models.DateTimeField(_("time of sale"))
    bets = models.PositiveIntegerField(_("bets"))
    quick_legs = models.PositiveSmallIntegerField(_("quick-pick races"), default=0)
    leg_1 = models.IntegerField()
    leg_2 = models.IntegerField()
    leg_3 = models.IntegerField(null=True)
    leg_4 = models.IntegerField(null=True)
    leg_5 = models.IntegerField(null=True)
    leg_6 = models.IntegerField(null=True)
    leg_7 = models.IntegerField(null=True)
    leg_8 = models.IntegerField(null=True)
    leg_9 = models.IntegerField(null=True)
    leg_10 = models.IntegerField(null=True)
    amount_cents = models.BigIntegerField(_("amount"))
    code_digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True)
    request_digest = models.BinaryField(max_length=REQUEST_DIGEST_BYTES)
    code_commitment = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = _("ticket")
        verbose_name_plural = _("tickets")
        indexes = [
            models.Index(fields=["terminal", "id"], name="ticket_of_terminal"),
            models.Index(fields=["contest", "id"], name="ticket_of_contest"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(bets__gte=1), name="ticket_has_bets"),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="ticket_has_amount"),
            models.CheckConstraint(
                condition=GreaterThan(Least(*LEG_COLUMNS), Value(0)),
                name="ticket_marks_every_leg",
                # LEAST leaves out the legs that the contest does not have.
            ),
        ]

    def __str__(self) -> str:
        return str(self.uuid)

    def seen_as(self) -> tuple[str, object]:
        return "document", f"lototrot:{self.pk}"

    def legs(self) -> tuple[int, ...]:
        """Return the masks of the ticket's legs, in order."""
        masks = (getattr(self, column) for column in LEG_COLUMNS)
        return tuple(mask for mask in masks if mask is not None)


class PremisesSales(Guarded):
    """The sales of premises in a contest that caps them, annulled tickets included.

    The sale writes it; contests without a cap have no rows.
    """

    mutable = ("sold_cents",)
    derived = mutable

    contest = foreign_key(Contest, _("contest"), db_index=False)
    premises = foreign_key(Premises, _("premises"))
    sold_cents = models.BigIntegerField(_("sold there"))

    class Meta:
        verbose_name = _("sales of premises in a contest")
        verbose_name_plural = _("sales of premises in contests")
        constraints = [
            models.UniqueConstraint(fields=["contest", "premises"], name="premises_sales_once")
        ]

    def __str__(self) -> str:
        return f"{self.contest} · {self.premises}"


class PrintConfirmation(Guarded):
    """The terminal's confirmation that the paper was printed.

    A ticket without it is an incident [E5]. Once its contest was settled nothing reads it, for
    tickets without it are `Unprinted` rows. Once its contest has lapsed none is written. It has the
    ticket's number and none of its own (docs/adr/0051).
    """

    retires = True

    ticket = one_to_one(
        Ticket,
        _("ticket"),
        related_name="print_confirmation",
        primary_key=True,
        db_constraint=False,
    )
    confirmed_at = models.DateTimeField(_("confirmed at"))

    class Meta:
        verbose_name = _("confirmed print")
        verbose_name_plural = _("confirmed prints")

    def __str__(self) -> str:
        return str(self.ticket)


class Reprint(Guarded):
    """A further copy, marked duplicate and printed before closing [E5].

    `uuid` is the terminal's, if any.
    """

    uuid = models.UUIDField(_("UUID"), unique=True, null=True)
    ticket = foreign_key(Ticket, _("ticket"), related_name="reprints", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    operator = foreign_key(Operator, _("operator"))
    printed_at = models.DateTimeField(_("printed at"))

    class Meta:
        verbose_name = _("reprint")
        verbose_name_plural = _("reprints")
        constraints = [
            models.UniqueConstraint(fields=["ticket", "number"], name="reprint_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="reprint_number_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.ticket} · {self.number}"


class CodeGiven(Guarded):
    """The code of a ticket was given again, to the operator who sold it and before it was printed.

    Copies that are marked as such are a `Reprint` each.
    """

    looks_recorded = True

    class Road(models.TextChoices):
        REPLAY = "replay", _("The sale was sent again")
        INQUIRY = "inquiry", _("The terminal asked what became of the sale")
        PAPER = "paper", _("The paper was fetched a minute after the sale, or later")

    ticket = foreign_key(Ticket, _("ticket"), related_name="codes_given")
    road = models.CharField(_("how"), max_length=10, choices=Road.choices)
    operator = foreign_key(Operator, _("operator"))
    given_at = models.DateTimeField(_("given at"))

    class Meta:
        verbose_name = _("code given again")
        verbose_name_plural = _("codes given again")

    def __str__(self) -> str:
        return str(self.ticket)


class Void(Guarded):
    """A ticket that no longer counts in the takings.

    It was an error [E4], a bet in breach [C6, E3], or never printed [E11]. The price of an error is
    given back at the counter at once, so it leaves with its ticket and a retired month (ADR 52).
    The others leave a refund due.
    """

    retires = True

    class Reason(models.TextChoices):
        ERROR = "error", _("Error corrected in time")
        BREACH = "breach", _("Registered in breach")
        UNPRINTED = "unprinted", _("Not printed")

    ticket = one_to_one(Ticket, _("ticket"), related_name="void")
    reason = models.CharField(_("reason"), max_length=10, choices=Reason.choices)
    note = models.CharField(_("note"), max_length=200)
    voided_at = models.DateTimeField(_("voided at"))
    operator = foreign_key(Operator, _("operator"), null=True)
    proposal = foreign_key(Proposal, _("proposal"), null=True)

    class Meta:
        verbose_name = _("void ticket")
        verbose_name_plural = _("void tickets")
        constraints = [
            models.CheckConstraint(
                condition=Q(reason="error", operator__isnull=False, proposal=None)
                | Q(reason__in=("breach", "unprinted"), operator=None, proposal__isnull=False),
                name="void_by_whom",
            )
        ]

    def __str__(self) -> str:
        return str(self.ticket)


class Unprinted(Guarded):
    """A ticket whose print nobody confirmed in the time after the closing [E11].

    Two persons void it with its refund, or let it stand, before the contest is settled.
    """

    class Verdict(models.TextChoices):
        VOID = "void", _("Voided and refunded")
        STAND = "stand", _("Left to stand")

    mutable = ("verdict", "reason", "proposal", "decided_at")

    ticket = one_to_one(Ticket, _("ticket"), related_name="unprinted")
    contest = foreign_key(Contest, _("contest"), related_name="unprinted")
    listed_at = models.DateTimeField(_("listed at"))
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices, blank=True)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    proposal = foreign_key(Proposal, _("proposal"), null=True)
    decided_at = models.DateTimeField(_("decided at"), null=True)

    class Meta:
        verbose_name = _("ticket without a confirmed print")
        verbose_name_plural = _("tickets without a confirmed print")
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict="", reason="", proposal=None, decided_at=None)
                | Q(
                    verdict__in=("void", "stand"),
                    proposal__isnull=False,
                    decided_at__isnull=False,
                )
                & ~Q(reason=""),
                name="unprinted_decided_whole",
            )
        ]

    def __str__(self) -> str:
        return str(self.ticket)


class Block(Guarded):
    """A blocked ticket: a bet in breach found after settlement, whose prize is held [C6]."""

    ticket = one_to_one(Ticket, _("ticket"), related_name="block")
    proposal = foreign_key(Proposal, _("proposal"))
    blocked_at = models.DateTimeField(_("blocked at"))
    prize_cents = models.BigIntegerField(_("prize"))

    class Meta:
        verbose_name = _("blocked ticket")
        verbose_name_plural = _("blocked tickets")
        constraints = [models.CheckConstraint(condition=Q(prize_cents__gte=0), name="block_prize")]

    def __str__(self) -> str:
        return str(self.ticket)
