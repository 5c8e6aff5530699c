"""List the acts of the prize office that two persons must do."""

from core.payoffice.services import cash, cheques, deposits, desk, goods, recovering

KINDS = (
    desk.PAYMENT,
    goods.EXCHANGE,
    goods.STOCK_OUT,
    cash.DIFFERENCE,
    cheques.VOID,
    cheques.REISSUE,
    cheques.VOIDED_PAYMENT,
    recovering.RECOVERY,
    recovering.WRITE_OFF,
    recovering.REVERSAL,
    cheques.CASH_CEILING,
    deposits.RULING,
)
