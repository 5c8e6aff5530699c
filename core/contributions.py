"""Collect what every app contributes under a file name that all apps share.

An app contributes by convention: it has a module of the agreed name, which holds one constant of
the agreed name. `core` finds it there and so never imports a game.
"""

import sys
from functools import cache
from typing import Any

from django.apps import AppConfig, apps
from django.utils.module_loading import autodiscover_modules


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
