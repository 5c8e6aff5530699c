"""List the long work of the administration: a list of any length as a file."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.lists import exporting, files
from core.longwork.kinds import WorkKind

KINDS: tuple[WorkKind, ...] = (
    WorkKind(
        name=files.EXPORT,
        title=_("A list as a file"),
        power=files.LATER,
        run=exporting.export,
        shared=False,
        about=exporting.about,
    ),
)
