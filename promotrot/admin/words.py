"""Put the codes of Promotrot into words for the admin."""

from django.utils.translation import gettext_lazy as _

RESTORED = _("Database restored since the seed was fixed: was it sold already?")

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
    "deal_missing": _("There is nothing to hide"),
    "deals_differ": _("Every set has the same number of places"),
    "deal_weightless": _("Each set has a weight"),
    "openings_impossible": _("From one place to three are opened, and no more than there are"),
    "play_too_large": _("There are too many places or sets"),
    "prize_unknown": _("There is no such prize"),
    "ladder_length": _("A ladder has from one to 63 rungs above its start"),
    "rung_without_way": _("There is no way up from this rung"),
    "top_with_way": _("The last rung has no way up"),
    "top_without_prize": _("The last rung has a prize"),
    "way_unnamed": _("A way up has a short name"),
    "way_repeated": _("A rung has each way up once"),
    "chance_impossible": _("A chance is above 0, and 1 at most"),
    "way_too_high": _("A way leads to a rung above, and not over the last one"),
}
