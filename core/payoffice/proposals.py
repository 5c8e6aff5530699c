"""List the acts of the prize office that two persons must do."""

from core.payoffice.services import cash, cheques, desk, goods, recovering, ruling, stock_values

KINDS = (
    desk.PAYMENT,
    goods.EXCHANGE,
    goods.MOVEMENT,
    stock_values.CORRECTION,
    cash.TAKING,
    cash.CLOSING,
    cheques.VOID,
    cheques.REISSUE,
    cheques.VOIDED_PAYMENT,
    recovering.RECOVERY,
    recovering.WRITE_OFF,
    recovering.REVERSAL,
    cheques.CASH_CEILING,
    ruling.RULING,
)
