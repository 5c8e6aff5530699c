"""Give the words and colours that pages of several apps have in common."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Text

KEY_NAMES: dict[str, Text] = {
    "article": _("article"),
    "author": _("stewards"),
    "declaration": _("declaration"),
    "detail": _("detail"),
    "errors": _("errors"),
    "held_cents": _("held"),
    "kind": _("kind"),
    "limit": _("limit"),
    "message": _("message"),
    "missing": _("missing"),
    "numbers": _("numbers"),
    "on_record": _("on record"),
    "outcome": _("outcome"),
    "place": _("place"),
    "reasons": _("reasons"),
    "ruling": _("ruling"),
    "since": _("since"),
    "source": _("source"),
    "until": _("until"),
    "verdict": _("decision"),
    "withdrawal": _("withdrawal"),
}

TONES = {
    "open": "success",
    "closed": "warning",
    "settled": "info",
    "ordered": "primary",
    "draft": "default",
    "confirmed": "success",
    "rejected": "danger",
    "error": "warning",
    "breach": "danger",
}

ADMINISTRATION = Administration(key_names=KEY_NAMES, tones=TONES)
