"""Begin an act of the journal for a request: the operation's name, the caller and the request's
id.
"""

import functools
import re

from django.http import HttpRequest

from core.journal import acting

_PARAMETER = re.compile(r"<(?:[^:>]*:)?([^>]*)>")
_WORDS = re.compile(r"[^A-Za-z0-9]+")


@functools.cache
def operation_name(route: str, method: str) -> str:
    """Return the operation's id as in the OpenAPI document: `premises_code_operators_post`."""
    path = _PARAMETER.sub(r"\1", route).removeprefix("api/v1/")
    return "_".join([*filter(None, _WORDS.split(path)), method.lower()])


def begin(request: HttpRequest, **ids: int) -> None:
    """Attribute to this operation everything written until the end of the request."""
    match = request.resolver_match
    name = operation_name(match.route if match else "", request.method or "")
    request_id = getattr(request, "request_id", "")
    acting.begin(acting.Acting(name, request_id=request_id, **ids))
