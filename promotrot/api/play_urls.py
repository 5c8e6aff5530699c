"""List the addresses of plays and vouchers."""

from django.urls import URLPattern, path

from promotrot.api import desk, play, vouchers

_PLAY = "plays/<uuid:ident>"
_VOUCHER = "vouchers/<uuid:ident>"

urlpatterns: list[URLPattern] = [
    path("plays", play.Plays.as_view()),
    path(_PLAY, play.OnePlay.as_view()),
    path(f"{_PLAY}/acts", play.Acts.as_view()),
    path(f"{_PLAY}/inquiry", play.Inquiry.as_view()),
    path(f"{_PLAY}/receipt.<str:form>", play.Receipt.as_view()),
    path("terminal/plays", play.Unfinished.as_view()),
    path("terminal/vouchers", vouchers.Unprinted.as_view()),
    path(f"{_VOUCHER}/voucher.<str:form>", vouchers.VoucherPaper.as_view()),
    path(f"{_VOUCHER}/print-confirmation", vouchers.PrintConfirmation.as_view()),
    path(f"{_VOUCHER}/reprints", vouchers.Reprints.as_view()),
    path("office/vouchers/held", vouchers.Held.as_view()),
    path(f"office/{_VOUCHER}/handover", vouchers.Handover.as_view()),
    path(f"office/{_VOUCHER}/voucher.<str:form>", vouchers.HandedPaper.as_view()),
    path(f"office/{_VOUCHER}/print-confirmation", vouchers.HandedConfirmation.as_view()),
    path("office/plays", desk.Plays.as_view()),
    path(f"office/{_PLAY}", desk.OnePlay.as_view()),
    path(f"office/{_PLAY}/move", desk.Move.as_view()),
    path(f"office/{_PLAY}/ending", desk.Ending.as_view()),
]
