"""Hold the example bodies of the API schema. Their codes and tokens are invented."""

from typing import Any

_UUID = "01a4ce1b-aea8-7000-9a57-3d1f0c6f2b11"

SALE: dict[str, Any] = {
    "uuid": _UUID,
    "contest": 12,
    "price_cents": 100,
    "amount_cents": 200,
    "races": [[4], [1, 7], [3], {"quick_pick": 1}, [9], [2], [5]],
}

_NUMBERS = ([4], [1, 7], [3], [11], [9], [2], [5])

TICKET: dict[str, Any] = {
    "uuid": _UUID,
    "state": "sold",
    "code": "1ABC-DEFG-HJKM-NPQR-STVW-XYZ0",
    "given_again": 0,
    "game": "Lototrot",
    "bet_type": {"code": "lototrot", "version": 1, "name": "Lototrot"},
    "ticket_model": {"code": "roll-80", "version": 1},
    "contest": 12,
    "meeting": {"day": "2027-04-10", "name": "Jornada de primavera"},
    "premises": {
        "code": "P-0001",
        "name": "Bar Central",
        "address": "Carrer Major 1",
        "municipality": "Manacor",
    },
    "terminal": "T-0001",
    "operator": 1,
    "sold_at": "2027-04-10T13:24:07.018245Z",
    "race_count": 7,
    "races": [
        {
            "position": position,
            "racecourse": "Hipòdrom de Son Pardo",
            "race": position,
            "name": f"Cursa {position}",
            "scheduled_start_at": f"2027-04-10T{14 + position}:30:00Z",
            "numbers": numbers,
            "quick_pick": position == 4,
        }
        for position, numbers in enumerate(_NUMBERS, start=1)
    ],
    "bets": 2,
    "price_cents": 100,
    "amount_cents": 200,
    "prize_percent": "60",
    "correction_window_s": 0,
    "notices": ["Only for people over 18."],
    "public_log": "12 · 0f3a9c51 77be20d4",
}

PROGRAMME: dict[str, Any] = {
    "format": "lototrot-programme-1",
    "meeting": {"day": "2027-04-10", "name": "Jornada de primavera", "reference": "P-2027-15"},
    "racecourses": [
        {
            "code": "SONPARDO",
            "name": "Hipòdrom de Son Pardo",
            "timezone": "Europe/Madrid",
            "municipality": "Palma",
            "country": "ES",
        }
    ],
    "races": [
        {
            "racecourse": "SONPARDO",
            "number": 1,
            "name": "Premi d'obertura",
            "scheduled_start": "2027-04-10T17:00:00+02:00",
            "distance_m": 2200,
            "start_method": "autostart",
            "runners": [
                {"number": 1, "name": "Exemple Primer", "sex": "mare", "age_years": 4},
                {"number": 2, "name": "Exemple Segon"},
            ],
        }
    ],
}

APPROVAL: dict[str, Any] = {
    "approved_by": "Federació Balear de Trot",
    "approved_at": "2027-04-05T10:00:00+02:00",
    "reference": "FBT 2027/31",
}

MEETING: dict[str, Any] = {
    "id": 3,
    "day": "2027-04-10",
    "begins_at": "2027-04-10T14:50:00Z",
    "ends_at": "2027-04-11T04:00:00Z",
    "name": "Jornada de primavera",
    "reference": "P-2027-15",
    "imported_at": "2027-04-01T08:00:00Z",
    "approval": None,
}

CONTEST: dict[str, Any] = {
    "meeting": 3,
    "bet_type": {"code": "lototrot", "version": 1},
    "ticket_model": {"code": "roll-80", "version": 1},
    "races": [21, 22, 23, 24, 25, 26, 27],
    "price_cents": 100,
    "max_bets": 10000,
    "scheduled_close_at": "2027-04-10T16:55:00+02:00",
    "correction_window_s": 0,
    "correction_approval": "",
}

BET_TYPE: dict[str, Any] = {
    "document": {
        "code": "lototrot",
        "version": 1,
        "name": "Lototrot",
        "legs": 7,
        "prize_percent": "60",
        "payout_step_cents": 1,
        "jackpot_threshold_cents": 15_000_000,
        "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
        "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
    },
    "authorisation": "CAIB 1/2006",
}

OTHER_BET_TYPE: dict[str, Any] = {
    "document": {
        "code": "five-races",
        "version": 1,
        "name": "Five races",
        "legs": 5,
        "prize_percent": "62.5",
        "payout_step_cents": 5,
        "jackpot_threshold_cents": 5_000_000,
        "shares_below": {"5": "40", "4": "25", "3": "35", "reserve": "0"},
        "shares_above": {"5": "30", "4": "25", "3": "35", "reserve": "10"},
    },
    "price_cents": 100,
    "rules": {"ca": "Cinc curses.", "es": "Cinco carreras.", "en": "Five races."},
    "authorisation": "CAIB 4/2027",
}

AMENDMENT: dict[str, Any] = {
    "in_force_from": "2028-01-01",
    "source": "BOIB 170/2027, order of 3 December 2027",
    "figures": {
        "legs": 7,
        "jackpot_threshold_cents": 30_000_000,
        "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
        "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
    },
}

GAME_END: dict[str, Any] = {
    "bet_type": "lototrot",
    "decision": "Resolution of 1 March 2031",
    "destinations": [
        {"source": "jackpot", "cents": 7_200_000, "recipient": "Federació Balear de Trot"},
        {"source": "reserve", "cents": 120_000, "bet_type": "five-races"},
    ],
}

INTERNAL_BETS: dict[str, Any] = {
    "types": [{"code": "trio", "name": "Trio"}],
    "none": False,
    "source": "Hipòdrom Son Pardo",
    "dated_on": "2020-01-02",
}
CLASSIFICATION: dict[str, Any] = {
    "runners": [
        {"number": 1, "outcome": "started", "place": 2},
        {"number": 2, "outcome": "winner", "place": 1},
        {"number": 3, "outcome": "withdrawn"},
        {"number": 4, "outcome": "left", "ruling": "Refused to start; not a withdrawal."},
        {"number": 5, "outcome": "disqualified"},
    ],
    "announced_text": "1r: 2 Exemple Segon. 2n: 1 Exemple Primer.",
    "announced_at": "2027-04-10T17:12:00+02:00",
    "author": "Comissaris: A. Vidal, B. Riera",
}
