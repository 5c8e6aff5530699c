"""Contribute the record of looks to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.looks.models import Look

ADMINISTRATION = Administration(
    sections=(Section(_("Looks"), 96, Place.PROOF, ((Look, "visibility"),)),),
)
