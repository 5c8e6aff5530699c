"""Close a cash session in the admin: its notes and coins, and what the second person reads."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import NOTHING, link, money
from core.admin_support.contents import ProposalWords
from core.admin_support.forms import ActForm, Grid
from core.database.reading.batches import row_by, the
from core.ledger import services as ledger
from core.payoffice import accounts, counting
from core.payoffice.models import CashSession
from core.payoffice.services.cash import CLOSING, TAKING
from core.staff.models import Proposal


class CountForm(ActForm):
    """The pieces of each note and coin; what is left empty is not there."""

    live_template = "payoffice/count_live.html"
    tail = ("reason", "words")
    reason = forms.ChoiceField(
        label=_("Reason of the difference"),
        required=False,
        choices=[("", NOTHING), *CashSession.Reason.choices],
    )
    words = forms.CharField(label=_("In words"), max_length=200, required=False)

    def build(self) -> None:
        names = {cents: f"pieces_{cents}" for cents in counting.DENOMINATIONS_CENTS}
        for name in names.values():
            self.fields[name] = forms.IntegerField(
                label=_("Pieces"),
                required=False,
                min_value=0,
                max_value=counting.MOST_PIECES,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
            )
        headers = (_("Note or coin"), _("Pieces"))
        parts = ((_("Banknotes"), counting.NOTES_CENTS), (_("Coins"), counting.COINS_CENTS))
        self.grids = [
            Grid(headers, [(money(cents), (names[cents],)) for cents in part], title)
            for title, part in parts
        ]

    def count(self) -> counting.Count:
        """Return the count that was filled in so far. Raises CountMalformed."""
        values = (
            (cents, self.cleaned_data.get(f"pieces_{cents}"))
            for cents in counting.DENOMINATIONS_CENTS
        )
        return counting.count_of((cents, value) for cents, value in values if value)

    def live(self) -> dict[str, Any]:
        counted_cents = counting.count_cents(self.count())
        expected_cents = ledger.balance_cents(accounts.cash(self.target.pk))
        difference_cents = counted_cents - expected_cents
        return {
            "counted": money(counted_cents),
            "expected": money(expected_cents),
            "difference": money(difference_cents) if difference_cents else "",
            "absent": "" if difference_cents else "reason words",
        }

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not self.errors:
            data["count"] = self.count()
        return data


def counted_table(count: Mapping[str, int] | None) -> SafeString | str:
    """Return the notes and coins of a count as a table; a dash where nothing was counted."""
    if not count:
        return NOTHING
    rows = ((money(cents), many, money(cents * many)) for cents, many in counting.pieces(count))
    row = (
        '<tr><th scope="row" class="house-number">{}</th><td class="house-number">{}</td>'
        '<td class="house-number">{}</td></tr>'
    )
    head = format_html_join(
        "",
        '<th scope="col" class="house-number">{}</th>',
        ((title,) for title in (gettext("Note or coin"), gettext("Pieces"), gettext("Amount"))),
    )
    return format_html(
        '<table class="house-document"><thead><tr>{}</tr></thead>{}</table>',
        head,
        format_html_join("", row, rows),
    )


def reason_text(reason: str) -> str:
    """Return the reason of a difference in words; a dash for none."""
    return str(dict(CashSession.Reason.choices).get(reason, NOTHING))


def _session(proposal: Proposal) -> CashSession:
    session = row_by(CashSession, "uuid", proposal.content["cash_session"], "cashier", "premises")
    return the(session)


def _subject(proposal: Proposal) -> SafeString | str:
    cents = proposal.content.get("counted_cents", proposal.content.get("cents"))
    return format_html("{} · {}", link(_session(proposal)), money(abs(cents)))


def _drawer(proposal: Proposal) -> list[tuple[Any, Any]]:
    """Return whose drawer the cash leaves, and what confirming means."""
    session = _session(proposal)
    return [
        (_("on confirming"), _("You have counted this cash, and received it from the drawer.")),
        (_("cash session"), link(session)),
        (_("office"), link(session.premises)),
        (_("cashier"), link(session.cashier)),
    ]


def _taking_facts(proposal: Proposal) -> list[tuple[Any, Any]]:
    content = proposal.content
    return [
        *_drawer(proposal),
        (_("taken away"), money(-content["cents"])),
        (_("reason"), content["reason"]),
    ]


def _closing_facts(proposal: Proposal) -> list[tuple[Any, Any]]:
    """Return what the second person decides on: the books, the count, the difference and why."""
    content = proposal.content
    return [
        *_drawer(proposal),
        (_("expected"), money(content["expected_cents"])),
        (_("notes and coins"), counted_table(content["count"])),
        (_("counted"), money(content["counted_cents"])),
        (_("difference"), money(content["difference_cents"])),
        (_("reason of the difference"), reason_text(content["difference_reason"])),
        (_("in words"), content["difference_words"] or NOTHING),
    ]


WORDS = {
    TAKING.name: ProposalWords("cents", _subject, _taking_facts),
    CLOSING.name: ProposalWords("count", _subject, _closing_facts),
}
