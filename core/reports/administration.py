"""Contribute reports to the administration."""

from core.admin_support.contents import Administration
from core.reports.admin import PAGE

ADMINISTRATION = Administration(
    pages=(PAGE,),
)
