"""Write rows in the templates of the administration by their names in words."""

from typing import Any

from django import template
from django.db.models import Model

from core.admin_support.columns import title_of

register = template.Library()


@register.filter
def said(value: Any) -> Any:
    """Return the name of a row in the words of its page; anything else as it is."""
    return title_of(value) if isinstance(value, Model) else value
