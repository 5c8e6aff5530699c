"""Contribute the texts that the screens of both games share."""

from core.screens import base_texts, board, check, terminal
from core.screens.panels import Screens

SCREENS = Screens(
    texts={
        "base": base_texts.BASE,
        "board": board.TEXTS,
        "check": check.TEXTS,
        "prizes": terminal.PRIZE_TEXTS,
        "terminal": terminal.TERMINAL_TEXTS,
    }
)
