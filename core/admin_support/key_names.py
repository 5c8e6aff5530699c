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
    return {key: found[0] for key, found in names.items() if found.count(found[0]) == len(found)}


def key_name(key: str) -> str:
    """Return the name of a key in the language in force, or the key itself with spaces."""
    known = collected("key_names").get(key) or field_names().get(key)
    return str(known or key.replace("_", " "))
