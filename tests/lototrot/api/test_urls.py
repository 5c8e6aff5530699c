"""Check that every resource of Lototrot has one address, and terminals their own."""

from django.urls import resolve

from core.api.views import ApiView, LeanView, StaffView
from lototrot.api import certificates, proofs, settlements, urls

PREFIX = "/api/v1/lototrot/"
EVERYBODYS = (
    proofs.TicketProof,
    proofs.ContestSeal,
    certificates.Certificate,
)


def views() -> list[type]:
    return [pattern.callback.view_class for pattern in urls.urlpatterns]


def test_no_address_and_no_view_stands_twice() -> None:
    routes = [str(pattern.pattern) for pattern in urls.urlpatterns]
    assert len(routes) == len(set(routes))
    assert len(views()) == len(set(views()))


def test_everything_but_proofs_and_certificates_needs_a_token() -> None:
    staff = {view for view in views() if issubclass(view, StaffView)}
    for view in set(views()) - staff - set(EVERYBODYS):
        assert "Terminal" in str(view.__mro__) or issubclass(view, LeanView), view
    for view in EVERYBODYS:
        assert issubclass(view, ApiView)
        assert not issubclass(view, StaffView)


def test_addresses_lead_to_their_views() -> None:
    match = resolve(f"{PREFIX}contests/7/breaches/block")
    assert match.func.view_class is settlements.BreachBlock
    assert match.kwargs == {"contest": 7}
    assert resolve(f"{PREFIX}contests/7/certificate.pdf").kwargs == {"contest": 7, "form": "pdf"}
