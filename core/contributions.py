"""Collect what every app contributes under a file name that all apps share.

An app contributes by convention: it has a module of the agreed name, which holds one constant of
the agreed name. `core` finds it there and so never imports a game. Nothing is collected before it
is first asked for (docs/adr/0022-apps-contribute-by-file-name.md).
"""

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.apps import AppConfig, apps
from django.utils.module_loading import autodiscover_modules


class ContributedTwice(ValueError):
    """Two contributions have the same name."""


@cache
def contributions_by_app(module: str, constant: str) -> dict[AppConfig, Any]:
    """Return `constant` of `module` by app, for each app that has such a module, in app order.

    Raises AttributeError if the module of an app does not hold the constant.
    """
    autodiscover_modules(module)
    names = {app: f"{app.name}.{module}" for app in apps.get_app_configs()}
    return {
        app: getattr(sys.modules[name], constant)
        for app, name in names.items()
        if name in sys.modules
    }


def contributions(module: str, constant: str) -> tuple[Any, ...]:
    """Return `constant` of `module` of each app that has such a module, in app order."""
    return tuple(contributions_by_app(module, constant).values())


def contributed_items(module: str, constant: str) -> tuple[Any, ...]:
    """Return the items of all apps' tuples `constant`, in app order."""
    return tuple(item for items in contributions(module, constant) for item in items)


def contributed_by_name(module: str, constant: str, key: str = "name") -> dict[Any, Any]:
    """Return the items of all apps' tuples `constant` by their attribute `key`, in app order.

    Raises ContributedTwice if two items have the same key.
    """
    items = ((getattr(item, key), item) for item in contributed_items(module, constant))
    return without_repetition(items, module, constant)


def contributed_entries(module: str, constant: str) -> dict[Any, Any]:
    """Return the entries of all apps' mappings `constant` as one mapping, in app order.

    Raises ContributedTwice if two mappings have the same key.
    """
    entries = (entry for mapping in contributions(module, constant) for entry in mapping.items())
    return without_repetition(entries, module, constant)


def without_repetition(
    entries: Iterable[tuple[Any, Any]], module: str, constant: str
) -> dict[Any, Any]:
    """Return `entries` as a mapping. Raises ContributedTwice if two have the same name."""
    collected: dict[Any, Any] = {}
    for name, item in entries:
        if name in collected:
            raise ContributedTwice(f"{name!r} is contributed twice as {constant} of {module}.py")
        collected[name] = item
    return collected
