"""Give the sample bodies of the schema. Their codes are invented and open nothing."""

from typing import Any

_UUID = "01a4cf41-98d8-7000-9a57-3d1f0c6f2b12"
_VOUCHER = "0b3d7ac2-7a55-5b0e-8a57-3d1f0c6f2b99"

SALE: dict[str, Any] = {"uuid": _UUID, "emission": 3, "price_cents": 50}

PLAY: dict[str, Any] = {
    "uuid": _UUID,
    "state": "playing",
    "emission": {"id": 3, "reference": "lap-of-honour/1", "name": "Lap of Honour"},
    "price_cents": 50,
    "prize_percent": "71",
    "sold_at": "2027-04-10T13:24:07.018245Z",
    "screen": {
        "mode": "predrawn",
        "presentation": {
            "kind": "symbols",
            "columns": 3,
            "rows": 3,
            "match": 3,
            "signs": ["trophy", "sulky", "bell", "cap", "whip"],
            "winning": ["trophy", "sulky"],
        },
        "mechanic": None,
        "tiers": [
            {"tier": 1, "value_cents": 50000, "thing": "", "extra": False},
            {"tier": 2, "value_cents": 100, "thing": "", "extra": False},
        ],
    },
    "acts": [],
    "legal": ["reveal"],
    "ending": None,
    "vouchers": [],
    "receipt": {
        "code": _UUID,
        "proof": "1BB3-29XA-Q2QB-R8ST-QY2A-ECVQ",
        "says": "Keep this code: it may win later. If the game ends and owes prizes, they are drawn"
        " among all its plays and paid at the Central Prize Payment Office.",
    },
    "public_log": "12 · 0f3a9c51 77be20d4",
}

VOUCHER: dict[str, Any] = {
    "uuid": _VOUCHER,
    "play": _UUID,
    "number": 1,
    "nature": "cash",
    "amount_cents": 100,
    "prizes": [{"tier": 2, "cents": 100, "extra": False}],
    "thing": None,
    "game": "Lap of Honour",
    "emission": "lap-of-honour/1",
    "premises": {
        "code": "P-0001",
        "name": "Bar Central",
        "address": "Carrer Major 1",
        "municipality": "Manacor",
    },
    "issued_at": "2027-04-10T13:24:19.118245Z",
    "issue_day": "2027-04-10",
    "last_day": "2027-05-10",
    "held": False,
    "code": "1ABC-DEFG-HJKM-NPQR-STVW-XYZ0",
}

PLAYED: dict[str, Any] = PLAY | {
    "state": "ended",
    "acts": [{"number": 1, "act": "reveal", "shown": 2}],
    "legal": [],
    "ending": {
        "cause": "played",
        "tier": 2,
        "extra_tier": 0,
        "awarded_cents": 100,
        "extra_cents": 0,
        "picture": {
            "cells": ["sulky", "bell", "cap", "sulky", "whip", "bell", "cap", "sulky", "whip"]
        },
        "ended_at": "2027-04-10T13:24:19.118245Z",
    },
    "vouchers": [VOUCHER],
}

MOVE: dict[str, Any] = {"terminal": "T-0001-2", "reason": "The screen went dark."}

_TEXTS: dict[str, Any] = {
    "name": "Three Trophies",
    "rules": ["Three equal signs win the prize of that sign."],
    "labels": {"trophy": "Trophy", "sulky": "Sulky", "bell": "Bell", "flag": "Flag"},
}

GAME: dict[str, Any] = {
    "definition": {
        "format": "promotrot-game/1",
        "code": "three-trophies",
        "mode": "predrawn",
        "prize_percent": "70",
        "tickets": 20000,
        "price_cents": 100,
        "block_tickets": 10000,
        "tiers": [{"cash_cents": 20000, "count": 20}, {"cash_cents": 200, "count": 5000}],
        "presentation": {
            "kind": "symbols",
            "columns": 3,
            "rows": 2,
            "match": 3,
            "signs": ["trophy", "sulky", "bell", "flag"],
            "winning": ["trophy", "sulky"],
        },
        "texts": {"ca": _TEXTS, "es": _TEXTS, "en": _TEXTS},
    }
}
