"""Check that the tree of addresses finds what the list finds, and that it compares few."""

from django.http import HttpRequest, HttpResponse
from django.urls import URLResolver, get_resolver, include, path, resolve
from django.urls.resolvers import RoutePattern

from core.config.routes import Address, _flat, as_tree


def answer(_request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse()


def resolver(addresses: list[Address]) -> URLResolver:
    return URLResolver(RoutePattern(""), addresses)


LIST: list[Address] = [
    path("shops/<str:code>", answer, {"kind": "one"}, name="shop"),
    path("shops", answer, name="shops"),
    path(
        "games/",
        include(
            [
                path("tickets", answer, name="tickets"),
                path("tickets/<uuid:ident>/slip.<str:form>", answer, name="slip"),
                path("tickets/lost", answer, name="lost"),
                path("<int:number>/tickets", answer, name="numbered"),
            ]
        ),
    ),
]
UUID = "0190d8e2-7a4c-7cc0-8c5e-4a34f4ce8e39"


def test_the_tree_finds_what_the_list_finds() -> None:
    flat, tree = resolver(LIST), resolver(as_tree(LIST))
    for asked in (
        "shops",
        "shops/S1",
        "games/tickets",
        "games/tickets/lost",
        f"games/tickets/{UUID}/slip.pdf",
        "games/7/tickets",
    ):
        first, second = flat.resolve(asked), tree.resolve(asked)
        assert (first.url_name, first.route, first.kwargs) == (
            second.url_name,
            second.route,
            second.kwargs,
        )


def test_a_fixed_segment_takes_precedence() -> None:
    tree = resolver(
        as_tree([path("<str:any>/x", answer, name="any"), path("a/x", answer, name="a")])
    )
    assert tree.resolve("a/x").url_name == "a"
    assert tree.resolve("b/x").url_name == "any"


def test_all_addresses_of_the_api_are_there_once() -> None:
    (api,) = [one for one in get_resolver().url_patterns if str(one.pattern) == "api/v1/"]
    routes = [route for route, _ in _flat(api.url_patterns, "")]
    assert len(routes) == len(set(routes)) > 100


def test_a_sale_is_compared_with_few_addresses() -> None:
    """Every comparison costs each sale a microsecond or two."""
    (api,) = [one for one in get_resolver().url_patterns if str(one.pattern) == "api/v1/"]
    level, compared = api.url_patterns, 0
    for segment in ("lototrot/", "tickets"):
        names = [str(one.pattern) for one in level]
        compared += names.index(segment) + 1
        level = getattr(level[names.index(segment)], "url_patterns", [])
    assert compared < 30
    assert resolve("/api/v1/lototrot/tickets").route == "api/v1/lototrot/tickets"
