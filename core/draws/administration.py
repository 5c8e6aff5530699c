"""Contribute public draws to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link
from core.admin_support.contents import Administration, Panel, Place, Section
from core.admin_support.proposal_texts import words_by_row
from core.database.reading.batches import row_by
from core.draws.admin.pages import draws_panel
from core.draws.models import Draw, PlaceReason

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Public draws"),
            25,
            Place.RACE_DAY,
            ((Draw, "casino"), (PlaceReason, "wrong_location")),
        ),
    ),
    panels=(Panel(15, Place.RACE_DAY, draws_panel),),
    kind_titles={
        "draws.manual": _("Public draw made by hand"),
        "draws.abandonment": _("Abandonment of a public draw"),
    },
    proposal_words={
        "draws.manual": words_by_row("draw"),
        "draws.abandonment": words_by_row("draw"),
    },
    content_readers={
        "draw": lambda ident: link(row_by(Draw, "uuid", ident)),
    },
)
