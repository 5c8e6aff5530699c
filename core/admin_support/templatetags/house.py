"""Write rows in the templates of the administration by their names in words."""

from typing import Any

from django import template
from django.db.models import Model
from django.utils.text import capfirst

from core.admin_support.columns import title_of

register = template.Library()


@register.filter
def in_words(value: Any) -> Any:
    """Return the name of a row in the words of its page; of anything else its text, with a capital.

    A row's name stays as it is: a UUID with a capital is another text than the one on the paper.
    """
    return title_of(value) if isinstance(value, Model) else capfirst(value)
