"""Put the codes of Promotrot into words for the admin."""

from django.utils.translation import gettext_lazy as _

PROPOSED = _("Proposed; a second person confirms it.")

# Why a game cannot be approved, by the code of the fault.
FAULTS = {
    "price_out_of_range": _("The price is outside the limits"),
    "prizes_too_low": _("Too little of the takings goes to prizes"),
    "more_prizes_than_tickets": _("There are more prizes than tickets"),
    "no_tickets": _("There is no ticket"),
    "equivalent_missing": _("A prize in kind has no cash equivalent"),
    "equivalent_source_missing": _("The source of a cash equivalent is not on record"),
    "equivalent_day_missing": _("The day of a cash equivalent is not on record"),
    "equivalent_day_later": _("A cash equivalent is fixed after the approval"),
    "rules_unpublished": _("The rules are not published"),
    "percent_unpublished": _("The percentage is not published"),
    "percentage_mismatch": _("The declared percentage is not what the prizes give"),
    "prize_without_value": _("A prize is worth nothing"),
    "prize_both_kinds": _("A prize is in cash and in kind at once"),
    "tier_without_prizes": _("A tier has no prizes"),
    "tier_repeated": _("A tier is there twice"),
    "too_many_tiers": _("There are too many tiers"),
    "extra_not_in_table": _("An extra prize is not one of the table's"),
    "extra_not_last": _("Extra tiers come after the table"),
    "picture_tiers_differ": _("The pictures show another number of tiers"),
    "picture_ambiguous": _("A picture could be read in two ways"),
    "picture_impossible": _("Too few pictures show a tier alone"),
    "artwork_missing": _("A sign of the pictures has no drawing"),
    "text_missing": _("A text is missing in some language"),
    "block_size_refused": _("The size of the blocks is not allowed"),
    "plan_impossible": _("The prizes cannot be spread over blocks that each reach the minimum"),
    "mechanic_malformed": _("The play cannot be played as it is defined"),
}
