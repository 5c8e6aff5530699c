"""Read vouchers that wait: at the Central Office for their bearers, at a terminal to be printed."""

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet

from core.database import clock
from core.database.statements import call_function
from core.kernel.days import add_days, day_bounds, natural_day
from core.payoffice.models import Claim
from core.premises.models import Game
from promotrot.engine.rules import paper_over
from promotrot.models.voucher import Voucher, VoucherHandover, VoucherSecret

LOOKED_BACK = 1_000
"""So many of its last vouchers a terminal is asked about."""
# It is asked of those only that have no print.
_PRINT_LEFT = Func(
    F("pk"),
    template="promotrot_print_left(p_voucher => %(expressions)s)",
    output_field=BooleanField(),
)


def is_printed(voucher: Voucher) -> bool:
    """Return whether the print was confirmed, also where that has left with its month (ADR 63)."""
    return bool(call_function("promotrot_printed", voucher=voucher.pk)[0])


def is_print_over(voucher: Voucher) -> bool:
    """Return whether no print is confirmed any more: a week has passed since the last day, and the
    voucher was claimed or lapsed before.
    """
    if natural_day(clock.now()) <= voucher.last_day:
        return False
    return bool(call_function("promotrot_print_over", voucher=voucher.pk)[0])


def held_vouchers() -> QuerySet[Voucher]:
    """Return the vouchers that wait for their bearers at the Central Office, oldest first.

    They have no code yet [P11], or their printing was not confirmed by noon of the next day [P16].
    Nobody has claimed them, and they have not lapsed.
    """
    now = clock.now()
    over = paper_over(now)
    recent = VoucherHandover.objects.filter(
        voucher=OuterRef("pk"), handed_at__gte=day_bounds(over)[1]
    )
    # A prize whose last day is past has lapsed, or will tonight. Both conditions have an index, so
    # that the number of vouchers of the past does not matter.
    may_wait = Q(last_day__gte=natural_day(now)) | Q(nature=Voucher.Nature.REFUND)
    unprinted = Q(issue_day__lte=over) & ~Exists(recent)
    return _unclaimed().filter(may_wait, Q(code_digest=None) | unprinted)


def is_lapsed(voucher: Voucher) -> bool:
    """Return whether its last day has passed unclaimed: it has lapsed, or will tonight."""
    if voucher.nature == Voucher.Nature.REFUND or natural_day(clock.now()) <= voucher.last_day:
        return False
    claims = Claim.objects.filter(game=Game.PROMOTROT, document_id=voucher.pk)
    return not claims.exclude(state=Claim.State.LAPSED).exists()


def unprinted_vouchers(terminal_id: int) -> QuerySet[Voucher]:
    """Return the vouchers of a terminal whose paper is not confirmed and may still be had there."""
    last = Voucher.objects.filter(terminal=terminal_id).order_by("-pk").values("pk")[:LOOKED_BACK]
    first_day = add_days(paper_over(clock.now()), 1)
    rows = _unclaimed().filter(pk__in=last, issue_day__gte=first_day, handovers=None)
    return rows.select_related("ticket")


def unconfirmed_vouchers() -> QuerySet[Voucher]:
    """Return the vouchers given to a terminal whose printing was not confirmed: incidents
    (*Codes*).
    """
    rows = Voucher.objects.filter(print_confirmation=None, code_digest__isnull=False)
    return rows.exclude(_PRINT_LEFT).order_by("pk")


def secrets_due() -> list[int]:
    """Return the secrets to erase: of days whose papers may not be printed again [P16]."""
    over = VoucherSecret.objects.filter(day__lte=paper_over(clock.now()), secret__isnull=False)
    return list(over.values_list("pk", flat=True))


def _unclaimed() -> QuerySet[Voucher]:
    """Return the vouchers without a claim or print. A print leaves only where there is a claim."""
    claims = Claim.objects.filter(game=Game.PROMOTROT, document_id=OuterRef("pk"))
    return Voucher.objects.filter(~Exists(claims), print_confirmation=None).order_by("pk")
