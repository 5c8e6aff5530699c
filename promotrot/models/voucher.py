"""Store vouchers: bearer documents against which prizes and refunds are paid (15.III.6.3)."""

import datetime
from uuid import UUID

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.locks import Lock
from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.kernel.codes import DIGEST_BYTES
from core.kernel.errors import InvariantBroken
from core.payoffice.models import CashSession
from core.premises.models import Operator, Premises, Terminal
from core.staff.models import Proposal, StaffSession, User
from promotrot.engine.rules import paper_until
from promotrot.models.debt import DebtDraw
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket


class Voucher(Guarded):
    """A voucher: all cash prizes of a play, or one thing with its equivalent, or a price due back.

    `prizes` lists `{"tier", "cents", "extra"}` for each [P8]. `amount_cents` is their sum; for a
    thing it is the cash equivalent (15.III.6.5). A voucher without a terminal was not issued at
    one. It is held for the buyer at the Central Office and has no code until it is handed over
    [P11]. One whose printing is not confirmed by noon of the next day is held, too [P16].
    `issue_day` and `last_day` are natural days of Europe/Madrid (15.III.6.6) [P5]. A play that was
    drawn after it had left with its month has no ticket any more: `left_play` is its UUID (ADR 91).
    """

    mutable = ("code_digest",)
    looks_recorded = True

    class Nature(models.TextChoices):
        CASH = "cash", _("Prize in cash")
        IN_KIND = "in_kind", _("Prize in kind")
        REFUND = "refund", _("Price due back")
        DRAWN = "drawn", _("Prize of the draw of an ended game")

    uuid = models.UUIDField(_("UUID"), unique=True)
    emission = unlocked_key(Emission, _("emission"))
    ticket = foreign_key(
        PlayTicket, _("virtual ticket"), related_name="vouchers", null=True, db_index=False
    )
    left_play = models.UUIDField(_("play that left"), null=True)
    number = models.PositiveSmallIntegerField(_("number"))
    nature = models.CharField(_("nature"), max_length=10, choices=Nature.choices)
    amount_cents = models.BigIntegerField(_("amount"))
    prizes = models.JSONField(_("prizes"))
    thing = models.CharField(_("thing"), max_length=80, blank=True)
    premises = unlocked_key(Premises, _("premises"))
    terminal = foreign_key(Terminal, _("terminal"), null=True, db_constraint=False)
    issued_at = models.DateTimeField(_("issued at"))
    issue_day = models.DateField(_("day of issue"))
    last_day = models.DateField(_("last day"), db_index=True)
    code_digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True, null=True)
    debt_draw = foreign_key(DebtDraw, _("draw"), related_name="vouchers", null=True)

    class Meta:
        verbose_name = _("voucher")
        verbose_name_plural = _("vouchers")
        indexes = [
            models.Index(fields=["id"], condition=Q(nature="refund"), name="voucher_refund"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["ticket", "number"], name="voucher_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1, amount_cents__gt=0), name="voucher_has_amount"
            ),
            models.CheckConstraint(
                condition=Q(nature="in_kind") & ~Q(thing="") | ~Q(nature="in_kind") & Q(thing=""),
                name="voucher_names_its_thing",
            ),
            models.CheckConstraint(
                condition=Q(nature="drawn", debt_draw__isnull=False)
                | ~Q(nature="drawn") & Q(debt_draw=None),
                name="voucher_names_its_draw",
            ),
            models.CheckConstraint(
                condition=Q(ticket__isnull=False, left_play=None)
                | Q(ticket=None, left_play__isnull=False, nature="drawn"),
                name="voucher_names_its_play",
            ),
            models.CheckConstraint(
                condition=Q(last_day__gt=F("issue_day")), name="voucher_days_in_order"
            ),
            models.CheckConstraint(
                condition=Q(terminal=None) | Q(code_digest__isnull=False),
                name="voucher_issued_with_code",
            ),
        ]

    def __str__(self) -> str:
        return str(self.uuid)

    def seen_as(self) -> tuple[str, object]:
        return "document", f"promotrot:{self.pk}"

    @property
    def play(self) -> UUID:
        """Return the UUID of its play."""
        return self.left_play or self.of.uuid

    @property
    def of(self) -> PlayTicket:
        """Return its ticket. Only a drawn prize may have none. Raises InvariantBroken."""
        if self.ticket is None:
            raise InvariantBroken("The play of the voucher left with its month.", voucher=self.pk)
        return self.ticket

    @property
    def lock(self) -> tuple[Lock, int]:
        """Return the lock under which its print is confirmed, or it is handed over."""
        return Lock.TICKET, self.ticket_id or self.pk

    @property
    def until(self) -> datetime.datetime:
        """Return until when the terminal that issued it may have its paper again [P16]."""
        return paper_until(self.issue_day)


class VoucherSecret(Guarded):
    """The secret from which the codes of a natural day are made. Once it is erased, no code can be
    made again.
    """

    mutable = ("secret",)

    day = models.DateField(_("day"), unique=True)
    secret = models.BinaryField(max_length=80, null=True)
    made_at = models.DateTimeField(_("made at"))

    class Meta:
        verbose_name = _("secret of a day's vouchers")
        verbose_name_plural = _("secrets of the days' vouchers")
        indexes = [
            models.Index(fields=["day"], condition=Q(secret__isnull=False), name="secret_standing")
        ]

    def __str__(self) -> str:
        return str(self.day)


class VoucherHandover(Guarded):
    """The handover of a held voucher, with a code, to the buyer at the Central Office [P11, P16].

    `handed_by` proposed it and another person confirmed it; neither of them pays the voucher. The
    new code replaces that of a paper whose printing was never confirmed. `replaced_digest` is the
    digest of the old code; None if there was none.
    """

    looks_recorded = True

    voucher = foreign_key(Voucher, _("voucher"), related_name="handovers", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    replaced_digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True, null=True)
    cash_session = foreign_key(CashSession, _("cash session"))
    handed_by = foreign_key(User, _("handed over by"))
    handed_in = foreign_key(StaffSession, _("handed over in session"))
    claim = models.CharField(_("how the buyer proved it"), max_length=200)
    proposal = one_to_one(Proposal, _("proposal"))
    handed_at = models.DateTimeField(_("handed over at"))

    class Meta:
        verbose_name = _("handover of a voucher")
        verbose_name_plural = _("handovers of vouchers")
        constraints = [
            models.UniqueConstraint(fields=["voucher", "number"], name="voucher_handover_number"),
            models.CheckConstraint(
                condition=~Q(claim="") & Q(number__gte=1), name="voucher_handover_has_claim"
            ),
        ]

    def __str__(self) -> str:
        return str(self.voucher)


class VoucherPrint(Guarded):
    """The terminal's confirmation that the voucher was printed.

    It leaves with the month of its voucher, if that was claimed or lapsed in time. From a week
    after the last day on none is written of such a voucher, and the retirement lists the vouchers
    that have none (`UnprintedVoucher`): so it is still known which were printed (ADR 63).
    """

    retires = True

    voucher = one_to_one(Voucher, _("voucher"), related_name="print_confirmation")
    confirmed_at = models.DateTimeField(_("confirmed at"))

    class Meta:
        verbose_name = _("confirmed print of a voucher")
        verbose_name_plural = _("confirmed prints of vouchers")

    def __str__(self) -> str:
        return str(self.voucher)


class VoucherCodeGiven(Guarded):
    """The code of a voucher was given again, to the operator who sold the play, before it was
    printed.

    Copies that are marked as such are a `VoucherReprint` each.
    """

    looks_recorded = True

    class Road(models.TextChoices):
        REPLAY = "replay", _("The act was sent again")
        INQUIRY = "inquiry", _("The terminal asked for the play")
        PAPER = "paper", _("The paper was fetched a minute after the issue, or later")

    voucher = foreign_key(Voucher, _("voucher"), related_name="codes_given")
    road = models.CharField(_("how"), max_length=10, choices=Road.choices)
    operator = foreign_key(Operator, _("operator"))
    given_at = models.DateTimeField(_("given at"))

    class Meta:
        verbose_name = _("code of a voucher given again")
        verbose_name_plural = _("codes of vouchers given again")

    def __str__(self) -> str:
        return str(self.voucher)


class VoucherReprint(Guarded):
    """A further copy of a voucher, marked as duplicate. `uuid` is the terminal's id, if there is
    one.
    """

    uuid = models.UUIDField(_("UUID"), unique=True, null=True)
    voucher = foreign_key(Voucher, _("voucher"), related_name="reprints", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    terminal = foreign_key(Terminal, _("terminal"))
    operator = foreign_key(Operator, _("operator"))
    printed_at = models.DateTimeField(_("printed at"))

    class Meta:
        verbose_name = _("reprint of a voucher")
        verbose_name_plural = _("reprints of vouchers")
        constraints = [
            models.UniqueConstraint(fields=["voucher", "number"], name="voucher_reprint_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="voucher_reprint_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.voucher} · {self.number}"
