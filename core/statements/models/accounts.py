"""Store premises' running accounts: their limits, their commission and their statements."""

import datetime
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.ledger.models import Account
from core.ledger.rows_field import RowsField
from core.premises.models import Game, Premises, Terminal
from core.staff.models import Proposal, StaffSession, User

SECOND_PERSON_AT_LATEST_CENTS = 3_000_00
"""From here on the database needs a second person for a remittance; a setting may say less."""


class CommissionRate(Guarded):
    """The commission of premises on the sales of a game, from a day on (14.III.6.1).

    Without premises it holds for all premises that have no rate of their own. `percent` is an exact
    decimal that `core.kernel.money.parse_percent` reads.
    """

    game = models.CharField(_("game"), max_length=20, choices=Game.choices)
    premises = foreign_key(Premises, _("premises"), related_name="commission_rates", null=True)
    in_force_from = models.DateField(_("in force from"))
    percent = models.CharField(_("per cent"), max_length=10)
    reference = models.CharField(_("reference"), max_length=120)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    proposal = one_to_one(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("commission rate")
        verbose_name_plural = _("commission rates")
        constraints = [
            models.UniqueConstraint(
                fields=["game", "premises", "in_force_from"],
                name="commission_rate_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=~Q(reference=""), name="commission_rate_sourced"),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.percent} % {self.in_force_from}"


class GuaranteeLimit(Guarded):
    """The largest debt of premises, from an instant on. No sale goes beyond it.

    Premises without one sell nothing. `minute_cap_cents` is the most that each of their terminals
    sells in a minute.
    """

    premises = foreign_key(Premises, _("premises"), related_name="guarantee_limits", db_index=False)
    in_force_from = models.DateTimeField(_("in force from"))
    limit_cents = models.BigIntegerField(_("limit"))
    minute_cap_cents = models.BigIntegerField(_("most per terminal and minute"))
    reference = models.CharField(_("reference"), max_length=120)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    proposal = foreign_key(Proposal, _("proposal"), db_index=False)

    class Meta:
        verbose_name = _("guarantee limit")
        verbose_name_plural = _("guarantee limits")
        constraints = [
            models.CheckConstraint(condition=Q(limit_cents__gte=0), name="guarantee_limit_sum"),
            models.CheckConstraint(
                condition=Q(minute_cap_cents__gte=0), name="guarantee_limit_minute"
            ),
            models.CheckConstraint(condition=~Q(reference=""), name="guarantee_limit_sourced"),
            models.UniqueConstraint(fields=["proposal", "premises"], name="guarantee_limit_once"),
        ]
        indexes = [
            models.Index(
                fields=["premises", "-in_force_from", "-id"], name="guarantee_limit_in_force"
            )
        ]

    def __str__(self) -> str:
        return str(self.premises)


class Till(Guarded):
    """A part of what premises owe: a terminal's sales, or all other transfers of their account.

    The parts of premises sum to the balance of their account. A sale adds to its terminal's part
    in its own statement, so that it waits for no payment or statement under way. `minute_cents` is
    what the terminal has sold in the minute that began at `minute_from`. The database's functions
    open and move tills (`sql/tills.sql`); the nightly audit compares them with the ledger.
    """

    mutable = ("owed_cents", "minute_from", "minute_cents")
    derived = mutable
    inserted_by_application = False

    premises = foreign_key(Premises, _("premises"), related_name="tills")
    terminal = one_to_one(Terminal, _("terminal"), related_name="till", null=True)
    account = foreign_key(Account, _("account"), db_index=False)
    owed_cents = models.BigIntegerField(_("owed"), default=0)
    minute_from = models.DateTimeField(_("minute from"), null=True)
    minute_cents = models.BigIntegerField(_("sold in the minute"), default=0)

    class Meta:
        verbose_name = _("till")
        verbose_name_plural = _("tills")
        constraints = [
            models.UniqueConstraint(
                fields=["account"], condition=Q(terminal=None), name="till_of_account"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.premises} {self.terminal or ''}".rstrip()


class Mark(Guarded):
    """Balances summed up to a transfer, so that a present balance needs few transfers.

    The nightly audit sums every transfer again and compares. A mark whose transfers have left is
    read no more, and leaves, too: the opening of the ledger stands in its place.
    """

    retires = True

    up_to = models.BigIntegerField(_("last transfer"), unique=True)
    made_at = models.DateTimeField(_("made at"))

    class Meta:
        verbose_name = _("mark of balances")
        verbose_name_plural = _("marks of balances")

    def __str__(self) -> str:
        return str(self.up_to)


class MarkedBalance(Guarded):
    """The debts of the premises of a part at a mark: in cents by the id of their account.

    Accounts are in parts by their ids, `ACCOUNTS_OF_PART` in each. Premises without debt are not in
    it. A row for each account would be five entries of the log for each premises in every night.
    They leave before their mark.
    """

    retires = True
    ACCOUNTS_OF_PART: ClassVar = 64
    """So many debts are less than 2 kB: PostgreSQL keeps them in the row."""

    mark = foreign_key(Mark, _("mark of balances"), related_name="balances", db_index=False)
    part = models.BigIntegerField(_("part"))
    debts_cents = models.JSONField(_("balance"))

    class Meta:
        verbose_name = _("marked balance")
        verbose_name_plural = _("marked balances")
        constraints = [models.UniqueConstraint(fields=["mark", "part"], name="marked_balance_once")]

    def __str__(self) -> str:
        return f"{self.mark} · {self.part}"


class Statement(Guarded):
    """A week of a running account, Monday to Sunday, numbered without gaps.

    Each figure is what it adds to the debt of the premises: sales are positive; annulments, paid
    prizes, commission and payments are negative. `lines` has them by game and kind of transfer,
    with the number of movements. `commission` has base, rate and amount by game. `uuid` follows
    from premises and week (`core.statements.weeks`); the database refuses another one. One that its
    own payments settled leaves with a month 91 days after its week, and these with it.
    """

    retires = True

    uuid = models.UUIDField(_("UUID"))
    premises = unlocked_key(Premises, _("premises"), related_name="statements")
    number = models.PositiveIntegerField(_("number"))
    week_from = models.DateField(_("from"))
    week_to = models.DateField(_("to"))
    opening_cents = models.BigIntegerField(_("brought forward"))
    sales_cents = models.BigIntegerField(_("sales"))
    annulments_cents = models.BigIntegerField(_("annulments"))
    prizes_cents = models.BigIntegerField(_("paid to players"))
    commission_cents = models.BigIntegerField(_("commission"))
    settled_cents = models.BigIntegerField(_("settled"))
    other_cents = models.BigIntegerField(_("other"))
    closing_cents = models.BigIntegerField(_("balance"))
    lines = RowsField(_("movements"), columns=("game", "column", "kind", "count", "amount_cents"))
    commission = RowsField(
        _("commission"), columns=("game", "percent", "base_cents", "commission_cents")
    )
    issued_at = models.DateTimeField(_("issued at"))

    class Meta:
        verbose_name = _("statement")
        verbose_name_plural = _("statements")
        constraints = [
            models.UniqueConstraint(fields=["premises", "number"], name="statement_number"),
            models.UniqueConstraint(fields=["week_to", "premises"], name="statement_of_week"),
            models.CheckConstraint(
                condition=Q(
                    week_from__iso_week_day=1,
                    week_to=F("week_from") + datetime.timedelta(days=6),
                    number__gte=1,
                ),
                name="statement_of_a_week",
            ),
            models.CheckConstraint(
                condition=Q(
                    closing_cents=F("opening_cents")
                    + F("sales_cents")
                    + F("annulments_cents")
                    + F("prizes_cents")
                    + F("commission_cents")
                    + F("settled_cents")
                    + F("other_cents")
                ),
                name="statement_adds_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.premises.code}-{self.number:04}"


class Remittance(Guarded):
    """A payment of a statement by the premises. If negative, the organiser pays the premises.

    It gives the premises credit again, so that two persons record a large one, any that the
    organiser pays, and a part of a bank movement of which other premises have one. `reference`
    names the movement, in any letters. The payments of a statement are numbered: `uuid` follows.
    They leave with their statement; a digest of each reference stays.
    """

    retires = True

    uuid = models.UUIDField(_("UUID"))
    statement = unlocked_key(Statement, _("statement"), related_name="remittances")
    premises = unlocked_key(Premises, _("premises"), related_name="remittances")
    number = models.PositiveSmallIntegerField(_("number"))
    amount_cents = models.BigIntegerField(_("amount"))
    paid_on = models.DateField(_("paid on"))
    reference = models.CharField(_("reference"), max_length=120)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"), db_index=False)
    recorded_in = foreign_key(StaffSession, _("recorded in session"), db_index=False)
    proposal = foreign_key(Proposal, _("proposal"), null=True, db_index=False)

    class Meta:
        verbose_name = _("payment of a statement")
        verbose_name_plural = _("payments of statements")
        constraints = [
            models.UniqueConstraint(
                fields=["proposal"], condition=~Q(proposal=None), name="remittance_of_proposal"
            ),
            models.UniqueConstraint("premises", Upper("reference"), name="remittance_once"),
            models.UniqueConstraint(fields=["statement", "number"], name="remittance_number"),
            models.CheckConstraint(condition=~Q(amount_cents=0), name="remittance_moves"),
            models.CheckConstraint(
                condition=Q(amount_cents__gt=0, amount_cents__lt=SECOND_PERSON_AT_LATEST_CENTS)
                | Q(proposal__isnull=False),
                name="remittance_large_by_two",
            ),
            models.CheckConstraint(condition=~Q(reference=""), name="remittance_sourced"),
        ]
        indexes = [models.Index(Upper("reference"), name="remittance_movement")]

    def __str__(self) -> str:
        return f"{self.statement} · {self.reference}"
