"""Add Promotrot to the screens of the core: its tab of the terminal and the texts of its
scripts.
"""

from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.panels import Feed, Panel, Screens
from core.screens.texts import ngettext_noop
from promotrot.selectors import board

_MODULES = (
    "display",
    "stage",
    "drawn",
    "chance",
    "mechanics",
    "prizes",
    "values",
    "kept",
    "papers",
    "sound",
)


_TEXTS: dict[str, texts.Text] = {
    "promotrot": _("Promotrot"),
    "no_games": _("No game is on sale now."),
    "up_to": _("Up to"),
    "main_prizes_left": ngettext_noop(
        "On {day} at {time}, {n} of {all} main prizes was still to be won.",
        "On {day} at {time}, {n} of {all} main prizes were still to be won.",
    ),
    "play_again": _("Again for"),
    "sound": _("Sound"),
    "help_game": _("Choose a game"),
    "help_uncover": _("Uncover a square"),
    "play_for": _("Play for"),
    "before_selling": _("Before selling"),
    "game_display_title": _("Before selling: rules and percentage on display"),
    "game_display_why": _(
        "The premises display the rules of each game and what of its takings goes to prizes"
        " (15.III.5.2)."
    ),
    "print_poster": _("Print the poster"),
    "is_displayed": _("It is on display"),
    "do_not_play": _("Do not play"),
    "unfinished": _("A play of {emission}, sold at {time}, is not finished."),
    "go_on": _("Go on"),
    "no_prize": _("No prize"),
    "in_common": ngettext_noop("{n} number in common", "{n} numbers in common"),
    "chance_of_main": _("Main prize, {weight} in {of}"),
    "rung": _("Rung {number}"),
    "extra_prize": _("Extra prize"),
    "prizes_of": _("Prizes of {game}"),
    "cell": _("Covered square {number}"),
    "winners_numbers": _("The winners' numbers"),
    "your_numbers": _("Your numbers"),
    "stall": _("{open}: stall {number}"),
    "fallen": _("You have fallen"),
    "you_are_here": _("You are here"),
    "chance": _("Chance {percent}"),
    "or_else": _("or else"),
    "uncover_all": _("Uncover all"),
    "finish": _("Finish"),
    "receipt": _("Receipt"),
    "print_receipt": _("Print the receipt"),
    "keep_code": _("Keep the code of your play: it may win later."),
    "you_win": _("You win"),
    "price_back": _("Your price back:"),
    "no_prize_this_time": _("No prize this time"),
    "take_voucher": _("Take your voucher."),
    "held_at_office": _("The voucher waits for the buyer at the Central Prize Payment Office."),
    "voucher_printed": _("The voucher is printed."),
    "unprinted": _("A voucher of {amount} is not printed. It can be until {time}."),
    "voucher_paper_unknown": _(
        "The voucher of {amount} went to the printer before. Did its paper come out?"
    ),
    "print_voucher": _("Print the voucher"),
    "plays": _("Plays"),
    "plays_ended": _("Played to the end"),
    "awarded": _("Awarded"),
    "emission": _("Emission"),
    "issued_on": _("Issued on"),
}
_BOARD: dict[str, texts.Text] = {
    "promotrot": _("Promotrot"),
    "no_games": _("No game is on sale now."),
    "board_to_prizes": _("Goes to prizes"),
    "price": _("Price"),
    "tickets_left": _("Tickets left"),
    "prize": _("Prize"),
    "prizes_left": _("Left"),
    "prizes_awarded": _("Awarded so far"),
    "top_prize_gone": _("No top prize is left."),
    "figures_of": _(
        "Figures as of {day}, {time}. They are always a little old, so that nobody can tell"
        " what is left now."
    ),
    "rules": _("Rules"),
    "extra_prize": _("Extra prize"),
    "play_decides": _("as the play decides"),
}

SCREENS = Screens(
    terminal=Panel(
        name="promotrot",
        title=_("Promotrot"),
        module="promotrot/terminal/panel.js",
        styles=("promotrot/terminal/panel.css",),
        texts="promotrot",
        preload=tuple(f"promotrot/terminal/{name}.js" for name in _MODULES),
    ),
    board=Panel(
        name="promotrot",
        title=_("Promotrot"),
        module="promotrot/board/section.js",
        styles=(),
        texts="promotrot_board",
        preload=("promotrot/board/wall.js",),
    ),
    holder=Panel(
        name="promotrot",
        title=_("Promotrot"),
        module="promotrot/holder.js",
        styles=(),
        texts="promotrot",
    ),
    feed=Feed("promotrot", board.board_pulse, board.board_document),
    texts={"promotrot": _TEXTS, "promotrot_board": _BOARD},
)
