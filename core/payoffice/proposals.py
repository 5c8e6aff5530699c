"""List the acts of the prize office that two persons must do."""

from core.payoffice.services import cheques, deposits, desk, goods

KINDS = (
    desk.PAYMENT,
    goods.EXCHANGE,
    cheques.VOID,
    cheques.REISSUE,
    cheques.CASH_CEILING,
    deposits.RULING,
)
