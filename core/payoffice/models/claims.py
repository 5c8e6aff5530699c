"""Store one claim for each document, and the presentations and rulings that change it."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.premises.models import Operator, Premises, Terminal
from core.staff.models import Proposal, User


class Acted(Guarded):
    """The premises of an act, and who did it: an operator at a terminal, or a member of staff."""

    premises = foreign_key(Premises, _("premises"), db_index=False)
    terminal = foreign_key(Terminal, _("terminal"), null=True, db_index=False)
    operator = foreign_key(Operator, _("operator"), null=True, db_index=False)
    staff = foreign_key(User, _("member of staff"), null=True, db_index=False)

    class Meta:
        abstract = True


def by_one(name: str) -> models.CheckConstraint:
    """Return the constraint that either an operator at a terminal or a member of staff acted."""
    return models.CheckConstraint(
        condition=Q(terminal__isnull=False, operator__isnull=False, staff=None)
        | Q(terminal=None, operator=None, staff__isnull=False),
        name=name,
    )


class Claim(Guarded):
    """The claim to what one document is owed. A document without a row is untouched.

    The first act that inserts the row has the document. Its unique key lets only one act do so: a
    payment, a presentation, a deposit, a block or the nightly lapse. `amount_cents` is what was
    owed then. `day` is the natural day from which lapsed or refused money is carried over:
    the last day to claim [D3], or the day of the ruling [C5].

    States: EARLY, presented or deposited between the results and the payment order, when nobody
    knows yet what is owed [D7]; the order values it at `valued_at`. PRESENTED in time, to be paid
    on any later day [D6]; HELD, after a deposit or a block, until two persons rule [C5, C6];
    GRANTED by them, to be paid on any later day. In these three states the money stands on the
    document's `held` account and does not lapse. LAPSED becomes HELD if the document was deposited
    in time and is identified later [C8]. HELD becomes PRESENTED where two persons refuse a deposit
    that was matched from the records, and another bearer presented the document in time [C5], or
    what is due is a price, whose bearer may come on any day [C6]. The other states are final;
    NO_PRIZE is that of an early claim to nothing.
    """

    class State(models.TextChoices):
        EARLY = "early", _("Awaiting the payment order")
        PRESENTED = "presented", _("Presented")
        HELD = "held", _("Held")
        GRANTED = "granted", _("Granted")
        PAID = "paid", _("Paid")
        EXCHANGED = "exchanged", _("Exchanged for the prize in kind")
        LAPSED = "lapsed", _("Lapsed")
        REFUSED = "refused", _("Refused")
        NO_PRIZE = "no_prize", _("No prize")

    UNDECIDED = (State.EARLY, State.HELD)
    FORFEITED = (State.LAPSED, State.REFUSED)
    OVER = (State.PAID, State.EXCHANGED, *FORFEITED, State.NO_PRIZE)

    mutable = ("state", "changed_at", "day", "amount_cents", "valued_at")
    retires = True
    looks_recorded = True
    transitions = {
        "early": ("presented", "held", "no_prize"),
        "presented": ("held", "paid", "exchanged"),
        "held": ("granted", "refused", "presented"),
        "granted": ("paid", "exchanged"),
        "lapsed": ("held",),
    }

    game = models.CharField(_("game"), max_length=20)
    document_id = models.BigIntegerField(_("document"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    amount_cents = models.BigIntegerField(_("amount"))
    opened_at = models.DateTimeField(_("opened at"))
    changed_at = models.DateTimeField(_("last change"), default=None, null=True)
    valued_at = models.DateTimeField(_("valued at"), default=None, null=True)
    day = models.DateField(_("day"), null=True)

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = [
            models.UniqueConstraint(fields=["game", "document_id"], name="claim_of_document"),
            models.CheckConstraint(
                condition=Q(state__in=["early", "no_prize"], amount_cents=0)
                | (~Q(state__in=["early", "no_prize"]) & Q(amount_cents__gt=0)),
                name="claim_has_amount",
            ),
            models.CheckConstraint(
                condition=(~Q(state="early") | Q(valued_at=None))
                & (~Q(state="no_prize") | Q(valued_at__isnull=False)),
                name="claim_valued",
            ),
            models.CheckConstraint(
                condition=Q(changed_at=None) | Q(changed_at__gte=F("opened_at")),
                name="claim_in_order",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["lapsed", "refused"], day__isnull=False)
                | (~Q(state__in=["lapsed", "refused"]) & Q(day=None)),
                name="claim_has_day",
            ),
        ]
        indexes = [
            models.Index(
                fields=["game", "document_id"], condition=Q(state="early"), name="claim_early"
            ),
            models.Index(fields=["opened_at"], condition=Q(state="held"), name="claim_held"),
            BrinIndex(fields=["day"], name="claim_day", autosummarize=True),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.document_id} {self.get_state_display()}"

    def seen_as(self) -> tuple[str, object]:
        return "document", f"{self.game}:{self.document_id}"


class Presentation(Acted):
    """A document presented in time: its claim does not lapse [D6]. `uuid` is on the receipt."""

    uuid = models.UUIDField(_("UUID"), unique=True)
    claim = one_to_one(Claim, _("claim"), related_name="presentation")
    presented_at = models.DateTimeField(_("presented at"))

    class Meta:
        verbose_name = _("presentation")
        verbose_name_plural = _("presentations")
        constraints = [by_one("presentation_by_one")]

    def __str__(self) -> str:
        return str(self.claim)


class Ruling(Guarded):
    """The decision of two persons on a held claim [C5, C6] or an unmatched deposit."""

    class Verdict(models.TextChoices):
        GRANTED = "granted", _("Granted")
        REFUSED = "refused", _("Refused")

    claim = one_to_one(Claim, _("claim"), related_name="ruling", null=True)
    deposit = models.OneToOneField(
        "payoffice.Deposit",
        models.PROTECT,
        null=True,
        related_name="ruling",
        verbose_name=_("deposit"),
    )
    verdict = models.CharField(_("decision"), max_length=10, choices=Verdict.choices)
    reason = models.CharField(_("reason"), max_length=400)
    proposal = one_to_one(Proposal, _("proposal"))
    decided_at = models.DateTimeField(_("decided at"))

    class Meta:
        verbose_name = _("ruling")
        verbose_name_plural = _("rulings")
        constraints = [
            models.CheckConstraint(
                condition=Q(claim__isnull=False) | Q(deposit__isnull=False, verdict="refused"),
                name="ruling_of_something",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="ruling_has_reason"),
        ]

    def __str__(self) -> str:
        return str(self.get_verdict_display())
