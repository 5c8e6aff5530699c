"""Store emissions: numbered runs of a concrete game, from the plan to the revealed seed (15.II.2).

**A sale takes a ticket.** A ticket has no row until it is sold. An emission on sale has lanes
(`Lane`). Each lane is a run of consecutive positions of one block. The transaction of a sale does:

    UPDATE promotrot_lane SET taken = taken + 1, open = taken + 1 < tickets
     WHERE id = (SELECT id FROM promotrot_lane WHERE emission_id = %s AND open
                  ORDER BY opening, first LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING opening, first + taken - 1 AS position

If it returns no row, other sales hold all open lanes, or no lane is open. The sale then waits for
any open lane (sql/sell.sql). If there is none, the emission is sold out, stopped or closed. To stop
an emission is to shut its lanes, which waits for every sale in progress. So a sale does not look at
the emission's state and locks nothing else of it. A sale that rolls back gives its position back.
Blocks are sold in turn; as many are open as sales run at the same time.

**A ticket holds a prize.** The row of a ticket has (emission, opening, position), which is unique.
Its prize is

    promotrot.services.dealing.dealing(emission_id).tier(opening, position)

This is the number of a `PrizeTier` of the emission, or 0. The process that asks decrypts the seed
and keeps the prizes of a block in its memory; a block costs some milliseconds once. Never write the
tier of a ticket, or anything computed from it, before the ticket is sold.
`dealing(...).picture(...)` gives the source of its picture. An emission of a probabilistic game
without extra prizes has no plan, no seed and no dealing (`Emission.dealt` is false). With extra
prizes its dealing gives the extra tier of each ticket, which is awarded on top of the play's prize.

**Awards.** The transaction that awards a prize, or ends a play with its price due back, takes
`Lock.EMISSION` shared (after its lane, if it takes one) and then reads the time and
`Emission.state`. While the state is `open` or `stopped`, the award is debited to the game's prize
account and a price due back to the emission's takings. Later it is debited to
`accounts.late_awards()`, because the closing statement did not include it.
"""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.ledger.models import Account
from core.staff.models import Proposal, StaffSession, User
from promotrot.models.game import Game, GameApproval


class Emission(Guarded):
    """A numbered run of a game. `reference` names it in the log, on vouchers and in keys.

    `plan` is the document of the plan (`promotrot-plan/1`). Pre-drawn emissions have one;
    probabilistic emissions have one only for extra prizes. `extra_cents` is the part of the game's
    debt that its extra prizes pay.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Planned")
        COMMITTED = "committed", _("Commitment published")
        MIXED = "mixed", _("Witnessed")
        OPEN = "open", _("On sale")
        STOPPED = "stopped", _("Sale stopped")
        CLOSED = "closed", _("Closed")
        REVEALED = "revealed", _("Seed revealed")
        ABANDONED = "abandoned", _("Never put on sale")

    WAITING = (State.DRAFT, State.COMMITTED, State.MIXED)
    ON_SALE = (State.OPEN, State.STOPPED)
    OVER = (State.CLOSED, State.REVEALED)

    mutable = ("state",)
    transitions = {
        "draft": ("committed", "open", "abandoned"),
        "committed": ("mixed", "abandoned"),
        "mixed": ("open", "abandoned"),
        "open": ("stopped", "closed"),
        "stopped": ("closed",),
        "closed": ("revealed",),
    }

    game = foreign_key(Game, _("game"), related_name="emissions", db_index=False)
    approval = foreign_key(GameApproval, _("approval"), related_name="emissions")
    number = models.PositiveIntegerField(_("number"))
    reference = models.CharField(_("reference"), max_length=60, unique=True)
    tickets = models.PositiveIntegerField(_("tickets"))
    block_tickets = models.PositiveIntegerField(_("tickets of a block"))
    price_cents = models.BigIntegerField(_("price"))
    plan = models.JSONField(_("plan"), null=True)
    extra_cents = models.BigIntegerField(_("extra prizes"), default=0)
    stop_without_top = models.BooleanField(_("stops when no top prize is left"), default=False)
    state = models.CharField(_("state"), max_length=9, choices=State.choices, default=State.DRAFT)
    takings_account = one_to_one(Account, _("account of the takings"))
    vouchers_account = one_to_one(Account, _("account of the vouchers"))
    planned_at = models.DateTimeField(_("planned at"))
    planned_by = foreign_key(User, _("planned by"))
    planned_in = foreign_key(StaffSession, _("planned in session"))

    class Meta:
        verbose_name = _("emission")
        verbose_name_plural = _("emissions")
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="emission_number"),
            models.CheckConstraint(
                condition=Q(tickets__gt=0, price_cents__gt=0, block_tickets__gt=0),
                name="emission_figures",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def dealt(self) -> bool:
        """Return whether a key puts prizes on its tickets. Then it is committed, witnessed and
        revealed.
        """
        return self.plan is not None


class PrizeTier(Guarded):
    """A tier of an emission's prizes, numbered from 1. The number 0 means no prize everywhere.

    `count` is the number of prizes in a dealt tier, or None if the player's acts decide. `thing` is
    the key of a prize in kind in the game's texts; then `value_cents` is its cash equivalent, fixed
    before the sale (15.III.6.5) [P4]. `extra` tiers pay an earlier shortfall [P2].
    """

    emission = foreign_key(Emission, _("emission"), related_name="tiers", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    value_cents = models.BigIntegerField(_("value"))
    thing = models.CharField(_("prize in kind"), max_length=60, blank=True)
    count = models.PositiveIntegerField(_("number"), null=True)
    extra = models.BooleanField(_("extra"), default=False)

    class Meta:
        ordering = ("emission", "number")
        verbose_name = _("tier of prizes")
        verbose_name_plural = _("tiers of prizes")
        constraints = [
            models.UniqueConstraint(fields=["emission", "number"], name="tier_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1, value_cents__gte=1), name="tier_worth_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.emission_id}/{self.number}"


class Commitment(Guarded):
    """The commitment to a secret seed, published before the witness acts.

    `encrypted_seed` is the seed under a key that is not in the database
    (`core.database.encryption`), bound to the emission's reference.
    `source` and `pieces` say what the witness will give: how many dice or balls (null for a phrase)
    [B16].
    """

    emission = one_to_one(Emission, _("emission"), related_name="commitment")
    source = models.CharField(_("source"), max_length=10)
    pieces = models.PositiveSmallIntegerField(_("dice or balls"), null=True)
    digest = models.CharField(_("digest"), max_length=64)
    encrypted_seed = models.BinaryField(max_length=80)
    committed_at = models.DateTimeField(_("published at"))
    committed_by = foreign_key(User, _("published by"))
    committed_in = foreign_key(StaffSession, _("committed in session"))

    class Meta:
        verbose_name = _("commitment")
        verbose_name_plural = _("commitments")
        constraints = [
            models.CheckConstraint(
                condition=Q(source="phrase", pieces=None)
                | Q(source__in=["dice", "balls"], pieces__gte=1),
                name="emission_commitment_pieces",
            )
        ]

    def __str__(self) -> str:
        return self.digest


class WitnessEntropy(Guarded):
    """The entropy that an inspector added in public after the commitment.

    `entropy` is in the canonical form of `core.draws.method`; its UTF-8 bytes are mixed into the
    key. `source` is dice, balls or a phrase.
    """

    emission = one_to_one(Emission, _("emission"), related_name="witness")
    entropy = models.CharField(_("entropy"), max_length=400)
    source = models.CharField(_("source"), max_length=10)
    entered_at = models.DateTimeField(_("entered at"))
    entered_by = foreign_key(User, _("entered by"))
    entered_in = foreign_key(StaffSession, _("entered in session"))

    class Meta:
        verbose_name = _("witness's entropy")
        verbose_name_plural = _("witnesses' entropy")
        constraints = [models.CheckConstraint(condition=~Q(entropy=""), name="witness_entropy")]

    def __str__(self) -> str:
        return str(self.emission)


class Opening(Guarded):
    """The act of two persons that put an emission on sale. It made the lanes as well."""

    emission = one_to_one(Emission, _("emission"), related_name="opening")
    opened_at = models.DateTimeField(_("opened at"))
    proposal = one_to_one(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("opening")
        verbose_name_plural = _("openings")

    def __str__(self) -> str:
        return str(self.emission)


class Lane(Guarded):
    """A lane: `tickets` consecutive positions, from `first`, of the block opened in place
    `opening`.

    `taken` of them are sold, in order. A lane is `open` until all are sold or the sale is stopped.
    The row has the place of the block in the order of opening, never its number in the plan.
    """

    mutable = ("taken", "open")
    derived = ("taken", "open")
    looks_recorded = True

    emission = foreign_key(Emission, _("emission"), related_name="lanes", db_index=False)
    opening = models.PositiveIntegerField(_("opening"))
    first = models.PositiveIntegerField(_("first position"))
    tickets = models.PositiveIntegerField(_("tickets"))
    taken = models.PositiveIntegerField(_("taken"), default=0)
    open = models.BooleanField(_("open"), default=True)

    class Meta:
        verbose_name = _("lane")
        verbose_name_plural = _("lanes")
        constraints = [
            models.UniqueConstraint(fields=["emission", "opening", "first"], name="lane_place"),
            models.CheckConstraint(
                condition=Q(taken__lte=F("tickets"), tickets__gt=0)
                & (Q(open=False) | Q(taken__lt=F("tickets"))),
                name="lane_taken",
            ),
        ]
        indexes = [
            models.Index(
                fields=["emission", "opening", "first"], condition=Q(open=True), name="lane_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.emission_id}/{self.opening}+{self.first}"


class SaleStop(Guarded):
    """The stop of a sale before the closing: the last top prize was won and the emission is set to
    stop, or the database lost acts and could deal tickets again.
    """

    emission = one_to_one(Emission, _("emission"), related_name="stop")
    stopped_at = models.DateTimeField(_("stopped at"))

    class Meta:
        verbose_name = _("stop of the sale")
        verbose_name_plural = _("stops of sales")

    def __str__(self) -> str:
        return str(self.emission)


class ClosingStatement(Guarded):
    """The closing of an emission by two persons, with its statement (15.III.6.2) [P1, P2].

    `document` is `promotrot-closing/1` as published. `sequence` numbers the closings of a game.
    """

    emission = one_to_one(Emission, _("emission"), related_name="closing")
    game = foreign_key(Game, _("game"), related_name="closings", db_index=False)
    sequence = models.PositiveIntegerField(_("closing"))
    proposal = one_to_one(Proposal, _("proposal"))
    document = models.JSONField(_("document"))
    shortfall_cents = models.BigIntegerField(_("shortfall"))
    owed_cents = models.BigIntegerField(_("owed to prizes"))
    closed_at = models.DateTimeField(_("closed at"))

    class Meta:
        verbose_name = _("closing statement")
        verbose_name_plural = _("closing statements")
        constraints = [
            models.UniqueConstraint(fields=["game", "sequence"], name="closing_sequence"),
            models.CheckConstraint(
                condition=Q(shortfall_cents__gte=0, owed_cents__gte=F("shortfall_cents")),
                name="closing_owed",
            ),
        ]

    def __str__(self) -> str:
        return str(self.emission)


class SeedReveal(Guarded):
    """The seed of a closed emission, in hexadecimal. With it anyone can recompute every ticket
    sold. Or of one that its game's end left unsold.
    """

    emission = one_to_one(Emission, _("emission"), related_name="reveal")
    seed = models.CharField(_("seed"), max_length=64)
    revealed_at = models.DateTimeField(_("revealed at"))

    class Meta:
        verbose_name = _("revealed seed")
        verbose_name_plural = _("revealed seeds")

    def __str__(self) -> str:
        return str(self.emission)


class PublicFigures(Guarded):
    """The progress of an emission at an instant. Nothing in it is by block.

    The public sees it only after enough further sales (`selectors.public`). `awarded` is `{tier:
    prizes}` of plays that had ended.
    """

    emission = foreign_key(Emission, _("emission"), related_name="figures", db_index=False)
    sold = models.PositiveIntegerField(_("sold"))
    awarded = models.JSONField(_("prizes awarded"))
    taken_at = models.DateTimeField(_("as of"))

    class Meta:
        verbose_name = _("figures for the public")
        verbose_name_plural = _("figures for the public")
        constraints = [
            models.UniqueConstraint(fields=["emission", "sold"], name="public_figures_once")
        ]

    def __str__(self) -> str:
        return f"{self.emission_id} · {self.sold}"
