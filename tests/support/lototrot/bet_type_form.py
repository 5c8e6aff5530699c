"""Fill in the form of a bet type as an organiser does."""

from typing import Any

SIX: dict[str, Any] = {
    "name": "Six",
    "code": "v6",
    "legs": "6",
    "prize_percent": "65",
    "shares": (("40", "25", "35"), ("30", "25", "35")),
    "rules": {"ca": "Sis curses.", "es": "Seis carreras.", "en": "Six races."},
}
V75: dict[str, Any] = {
    "name": "V75",
    "code": "v75",
    "legs": "7",
    "prize_percent": "65",
    "shares": (("40", "20", "40"), ("40", "20", "40")),
    "rules": {"ca": "Set curses.", "es": "Siete carreras.", "en": "Seven races."},
}
V86: dict[str, Any] = {
    "name": "V86",
    "code": "v86",
    "legs": "8",
    "prize_percent": "65",
    "shares": (("40", "20", "40"), ("30", "20", "40")),
    "rules": {"ca": "Vuit curses.", "es": "Ocho carreras.", "en": "Eight races."},
}


def typed(wanted: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return what is typed into the form for a bet type."""
    fields = {name: wanted[name] for name in ("name", "code", "legs", "prize_percent")}
    for side, shares in zip(("below", "above"), wanted["shares"], strict=True):
        fields |= {f"{side}_{wrong}": share for wrong, share in enumerate(shares)}
    fields |= {f"rules_{code}": text for code, text in wanted["rules"].items()}
    return {
        **fields,
        "price_cents": "1,00",
        "jackpot_threshold_cents": "150000",
        "payout_step_cents": "0,01",
        "authorisation": "CAIB 9",
        **changes,
    }
