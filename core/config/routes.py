"""Arrange addresses as a tree, so that one is found without comparing it with all of them.

Django compares a path with one pattern after the other. The API has more than a hundred; below a
common first segment there are a few.
"""

from collections.abc import Iterable, Iterator

from django.urls import URLPattern, URLResolver, include, path

Address = URLPattern | URLResolver


def as_tree(addresses: Iterable[Address]) -> list[Address]:
    """Return the same addresses, those that begin with the same fixed segment under one prefix.

    All are made by `path`, without namespaces. Names and full routes stay as they were. A fixed
    segment takes precedence over a variable one in its place, and larger groups come first.
    """
    return _grouped(list(_flat(addresses, "")))


Route = tuple[str, URLPattern]


def _flat(addresses: Iterable[Address], prefix: str) -> Iterator[Route]:
    """Yield the patterns with their routes from the top."""
    for address in addresses:
        route = prefix + str(address.pattern)
        if isinstance(address, URLResolver):
            yield from _flat(address.url_patterns, route)
        else:
            yield route, address


def _grouped(routes: list[Route]) -> list[Address]:
    leaves: list[Address] = []
    variable: list[Address] = []
    below: dict[str, list[Route]] = {}
    for route, address in routes:
        segment, slash, rest = route.partition("/")
        if "<" in segment or not slash:
            compiled = path(route, address.callback, address.default_args, address.name)
            (variable if "<" in segment else leaves).append(compiled)
        else:
            below.setdefault(segment, []).append((rest, address))
    by_size = sorted(below.items(), key=lambda group: -len(group[1]))
    groups = [path(f"{segment}/", include(_grouped(rest))) for segment, rest in by_size]
    return [*leaves, *groups, *variable]
