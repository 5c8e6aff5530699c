"""Name the keys of documents, refusals and proposals for people.

A key that is the name of a field has the field's `verbose_name`. The `key_names` of the
administrations give the others, and those of fields that have several names.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.apps import apps

from core.admin_support.contents import collected


@cache
def field_names() -> Mapping[str, Any]:
    """Return the names in words of the fields that have one name in all tables of this program."""
    names: dict[str, list[Any]] = defaultdict(list)
    for model in apps.get_models():
        if not model.__module__.startswith("django."):
            for field in model._meta.concrete_fields:
                # What Django makes of a field's name is English in every language.
                if getattr(field, "_verbose_name", None) is not None:
                    names[field.name].append(field.verbose_name)
    return {key: texts[0] for key, texts in names.items() if texts.count(texts[0]) == len(texts)}


def key_name(key: str) -> str:
    """Return the name of a key in the language in force, or the key itself with spaces."""
    name_in_words = collected("key_names").get(key) or field_names().get(key)
    return str(name_in_words or key.replace("_", " "))
