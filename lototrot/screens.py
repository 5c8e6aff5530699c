"""Contribute Lototrot to the screens of core: its panels and the texts of its scripts."""

from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.panels import Feed, Panel, Screens
from core.screens.texts import ngettext_noop
from lototrot.selectors import board

_MODULES = (
    "bet",
    "board",
    "confirmation",
    "day",
    "details",
    "display",
    "last",
    "annulment",
    "basket",
    "sale",
)


_BOARD_MODULES = ("race", "shares", "standing", "explained", "wall", "arrived")


_SELLING: dict[str, texts.Text] = {
    "lototrot": _("Lototrot"),
    "races": _("Races"),
    "contest": _("Contest"),
    "nothing_on_sale": _("Nothing is on sale now."),
    "closes_in": _("Closes in"),
    "closing": _("Time to closing"),
    "closed": _("Closed"),
    "stopped": _("Stopped"),
    "stopped_why": _("Sales may go on again: wait."),
    "price_of_bet": _("Price of a bet"),
    "jackpot": _("Jackpot"),
    "rules": _("Rules"),
    "withdrawn": _("withdrawn"),
    "share_of_bets": _("Share of the bets"),
    "quick_pick_all": _("Quick pick"),
    "quick_pick_race": _("Quick pick of race {race}"),
    "help_mark": _("Mark 7 and go on with the next race"),
    "help_mark_stay": _("Mark 7 and stay in the race"),
    "help_banker": _("7 alone: a banker"),
    "help_given": _("While you confirm: the player gives 20 euros, and the change is shown"),
    "help_quick": _("One horse at random in this race"),
    "draw_again": _("Draw again"),
    "add_coupon": _("Another one"),
    "coupon": _("Ticket {number}"),
    "coupons": ngettext_noop("{n} ticket", "{n} tickets"),
    "coupons_sold": ngettext_noop("Sold: {n} ticket, {amount}", "Sold: {n} tickets, {amount}"),
    "coupons_refused": ngettext_noop(
        "{n} ticket was not sold. It waits in the basket.",
        "{n} tickets were not sold. They wait in the basket.",
    ),
    "coupons_changed": _("Horses were withdrawn or sales closed: look at the basket again."),
    "remove": _("Remove"),
    "remove_coupon": _("Remove ticket {number}"),
    "payment": _("Payment"),
    "charge": _("Charge"),
    "quick_picked": ngettext_noop("{n} number at random", "{n} numbers at random"),
    "at_random": ngettext_noop("{n} number at random", "{n} numbers at random"),
    "repeat": _("Repeat"),
    "clear": _("Clear"),
    "confirm_bet": _("Confirm"),
    "bets": ngettext_noop("{n} bet", "{n} bets"),
    "too_many_bets": _("At most {most} bets on a ticket"),
    "one_more_mark": _("One more horse here: {amount} more"),
    "only_this": _("Only number {number}"),
    "missing_races": ngettext_noop("Race {races} is missing", "Races {races} are missing"),
    "no_such_number": _("Number {number} is not on sale in this race."),
    "your_bet": _("Your bet"),
    "confirm_before_paying": _("Check the bet before you pay: it can't be changed afterwards."),
    "given": _("Given"),
    "change_to_give": _("Change: {amount}"),
    "too_little": _("Not enough: {amount} is missing"),
    "change_bet": _("Change it"),
    "ticket_sold": ngettext_noop("Sold: {n} bet, {amount}", "Sold: {n} bets, {amount}"),
    "marks_withdrawn": _("Withdrawn, and no longer marked: {numbers}"),
    "marks_not_offered": _("Look at race {race}."),
    "display_title": _("Before selling: the poster"),
    "display_why": _(
        "Programme, rules and the percentage for prizes must hang where players see them."
    ),
    "print_poster": _("Print the poster"),
    "is_displayed": _("It is on display"),
}
_COUPON: dict[str, texts.Text] = {
    "coupon_malformed": _("This is not a ticket prepared on a phone."),
    "coupon_mistyped": _("The symbol was not read whole. Scan it again."),
    "coupon_other_version": _("It was prepared by another version of the page: prepare it again."),
    "coupon_closed": _("What it was prepared for is not on sale any more."),
    "coupon_differs": _("It does not fit the races on sale: prepare it again."),
}
_PLAYER = (
    "nothing_on_sale",
    "closes_in",
    "price_of_bet",
    "jackpot",
    "your_bet",
    "bets",
    "coupons",
    "confirm_before_paying",
)
_PHONE: dict[str, texts.Text] = {
    "coupon_show": _("Show the symbol"),
    "coupon_title": _("To be scanned where you buy"),
    "coupon_why": _("This is no ticket: your bet is the paper that you get when you pay."),
    "coupon_save": _("Save it"),
    "coupon_saved": _("Saved on this phone"),
    "coupon_gone": _("not on sale any more"),
    "coupon_usual": _("My usual"),
    "coupon_usual_keep": _("Keep as my usual"),
}
_AFTERWARDS: dict[str, texts.Text] = {
    "registered_without_paper": _("The ticket is registered, but its paper is not given any more."),
    "paper_unknown": _(
        "The ticket of {time} ({amount}) went to the printer before this screen was opened again. "
        "Did its paper come out?"
    ),
    "annulled_meanwhile": _("That ticket has been annulled."),
    "last_ticket": _("Last ticket"),
    "draw_to_come": _("Public draw of {title}: {time}, {place}."),
    "draw_result": _("Public draw of {title}: the winner is {number}."),
    "holder_valid": _("Valid"),
    "holder_closes_today": _("Sales close today at {time}."),
    "holder_closes_on": _("Sales close on {day} at {time}."),
    "holder_so_far": _("{right} of {decided} right so far"),
    "holder_needs": _("Race {race} comes next: it needs {numbers}."),
    "copy_of": _("Duplicate of the ticket of {time}"),
    "annulled": _("annulled"),
    "correct": _("Correct an error"),
    "annul_title": _("Annul a ticket sold in error"),
    "annul_why": _("The player gives the ticket back. Scan it, keep it, and return the money."),
    "ticket_code": _("Code of the ticket"),
    "annul_reason": _("Reason"),
    "annul_reason_default": _("Number mistyped"),
    "annul_for": _("Annul and give back {amount}"),
    "do_not_annul": _("Do not annul"),
    "give_back": _("Annulled. Give {amount} back to the player."),
    "tickets": _("Tickets"),
    "bets_made": _("Bets"),
    "annulled_tickets": _("Annulled tickets"),
    "given_back": _("Given back"),
    "tickets_of_day": _("Tickets of the day"),
    "find_ticket": _("Numbers race by race (0: any), or amount"),
    "more": _("More"),
    "correct_of": _("Correct the ticket of {time}"),
    "no_tickets": _("No such tickets."),
    "none_sold": _("No ticket sold yet."),
    "bet_of_ticket": _("The bet"),
    "race": _("Race"),
    "numbers": _("Numbers"),
    "winners": _("Winners"),
    "right": _("right"),
    "right_of_races": ngettext_noop("{n} right", "{n} right"),
    "printed": _("printed"),
    "not_printed": _("not printed"),
    "sold_at": _("Sold at"),
    "amount": _("Amount"),
    "operator": _("Operator"),
    "paper": _("Paper"),
}
_BOARD: dict[str, texts.Text] = {
    "lototrot": _("Lototrot"),
    "board_no_contest": _("No contest is announced at present."),
    "state_open": _("On sale"),
    "state_stopped": _("Sales stopped"),
    "state_closed": _("Closed"),
    "state_settled": _("Settled"),
    "state_ordered": _("Being paid"),
    "board_jackpot": _("Jackpot"),
    "board_reserve": _("Reserve fund"),
    "board_takings": _("Staked so far"),
    "board_bets": _("Bets"),
    "board_to_prizes": _("Goes to prizes"),
    "price_of_bet": _("Price of a bet"),
    "closes_in": _("Closes in"),
    "closing": _("Sale"),
    "closed": _("Closed"),
    "stopped": _("Stopped"),
    "rules": _("Rules"),
    "race_scheduled": _("to be run"),
    "race_started": _("under way"),
    "race_not_run": _("not run"),
    "race_suspended": _("suspended"),
    "race_all_disqualified": _("all disqualified"),
    "race_no_winner": _("without a winner"),
    "race_drawn": _("drawn"),
    "race_classified": _("official"),
    "withdrawn": _("withdrawn"),
    "board_bets_on": _("bets move to no. {number}"),
    "board_winner": _("winner"),
    "board_race_won": _("Race {race}: {numbers}"),
    "board_draw_by": _("Its result comes from a public draw before {time}."),
    "board_alive": _("Bets still alive"),
    "board_right": _("Winning bets"),
    "alive": ngettext_noop("{n} bet alive", "{n} bets alive"),
    "winning_bets": ngettext_noop("{n} bet has {category}", "{n} bets have {category}"),
    "board_after_race": _("After race"),
    "board_alive_why": _(
        "Counted ticket by ticket: how many bets win each category if they get no further race "
        "wrong, and what each would then be paid."
    ),
    "board_seal": _("Seal of the tickets"),
    "board_certificate": _("Settlement certificate"),
    "board_history": _("Jackpot and reserve fund after each meeting"),
    "board_as_table": _("As a table"),
    "board_meeting": _("Meeting"),
    "board_top_won": _("Highest prize won"),
    "board_now": _("now"),
    "board_meetings": _("All meetings"),
    "board_address": _("This meeting at its own address, to keep or to share"),
    "races": _("Races"),
    "form": _("Last results"),
    "share_of_bets": _("Share of the bets"),
    "most_marked": _("Most marked"),
    "wall_next": _("Next race"),
    "wall_closes_at": _("Sales close at {time}"),
    "wall_withdrawn": _("withdrawn: {numbers}"),
    "wall_phone": _("Prepare your bet on your phone"),
    "wall_would_pay": _("A {category} would pay"),
    "wall_each": _("Each would be paid"),
    "wall_all_run": _("All races are decided. The prizes are being worked out."),
    "wall_next_pot": _("Jackpot of the next meeting"),
    # Players say shop; the house says premises, as the regulation does.
    "wall_paid_where": _(
        "Below {amount} at any shop that sells bets; from there on at the Central Office."
    ),
    "board_yes": _("yes"),
    "board_no": _("no"),
}
_EXPLAINED: dict[str, texts.Text] = {
    "explained": _("The settlement, step by step"),
    "paid_between": _("Prizes are paid from {first}; the last day to present a ticket is {last}."),
    "order_awaited": _("Prizes are paid once payment has been ordered."),
    "step_pool": _(
        "{takings} were staked. {percent} % goes to prizes: {pool}. The rest, {rest}, is the "
        "organiser's."
    ),
    "step_below": _(
        "The figure accumulated from earlier meetings, {tested}, does not exceed {threshold}: the "
        "prize money is divided by article {article}."
    ),
    "step_above": _(
        "The figure accumulated from earlier meetings, {tested}, exceeds {threshold}: the prize "
        "money is divided by article {article}."
    ),
    "category": _("Category"),
    "share": _("Share"),
    "amount": _("Amount"),
    "step_right": _("The bets that are right, each in its one category:"),
    "step_falls": _("Nobody has {category}: its {amount} goes to {below}."),
    "step_falls_reserve": _("Nobody has {category}: its {amount} goes to the reserve fund."),
    "own_share": _("Share of this meeting"),
    "unclaimed": _("Prizes nobody claimed in time"),
    "where_from": _("From"),
    "step_carried": _("What there is for {category}:"),
    "step_halved": _(
        "A bet in {below} would win more than one in {above}: the two amounts are added and each "
        "gets half."
    ),
    "step_joined": _(
        "A lower prize would still exceed a higher one: {categories} are added and shared equally "
        "among all their bets."
    ),
    "step_prizes": _("Each category is shared equally among its bets:"),
    "prize_of_bet": _("Prize of a bet"),
    "in_all": _("In all"),
    "step_rounding": _("What is left over in rounding, {amount}, goes to the reserve fund."),
    "step_no_prizes": _("No bet wins anything."),
    "step_onward": _("For the next meeting: accumulated {jackpot}, reserve fund {reserve}."),
}

BOARD = Panel(
    name="lototrot",
    title=_("Lototrot"),
    module="lototrot/board/section.js",
    styles=("lototrot/board/board.css",),
    texts="lototrot_board",
    preload=tuple(f"lototrot/board/{name}.js" for name in _BOARD_MODULES),
)
SCREENS = Screens(
    terminal=Panel(
        name="lototrot",
        title=_("Lototrot"),
        module="lototrot/terminal/panel.js",
        styles=("lototrot/terminal/panel.css",),
        texts="lototrot",
        preload=(
            *(f"lototrot/terminal/{name}.js" for name in _MODULES),
            "lototrot/board/shares.js",
        ),
    ),
    board=BOARD,
    holder=Panel(
        name="lototrot",
        title=_("Lototrot"),
        module="lototrot/holder.js",
        styles=("lototrot/terminal/panel.css",),
        texts="lototrot",
        preload=("lototrot/terminal/details.js",),
    ),
    player=Panel(
        name="lototrot",
        title=_("Lototrot"),
        module="lototrot/player/section.js",
        styles=(),
        texts="lototrot_player",
    ),
    coupon=Panel(
        name="lototrot",
        title=_("Lototrot"),
        module="lototrot/coupon/section.js",
        styles=("lototrot/terminal/panel.css", "lototrot/coupon/coupon.css"),
        texts="lototrot_coupon",
        preload=(
            "lototrot/coupon/format.js",
            "lototrot/coupon/kept.js",
            "lototrot/terminal/bet.js",
            "lototrot/terminal/board.js",
            "lototrot/board/shares.js",
        ),
    ),
    feed=Feed("lototrot", board.board_pulse, board.board_document, board.board_prepare),
    texts={
        "lototrot": _SELLING | _COUPON | _AFTERWARDS,
        "lototrot_coupon": _SELLING | _PHONE,
        "lototrot_player": {key: _SELLING[key] for key in _PLAYER},
        "lototrot_board": _BOARD | _EXPLAINED,
    },
)
