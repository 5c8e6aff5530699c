"""Define the errors with which the prize office refuses an act (14.III.10)."""

from core.kernel.errors import Conflict, Forbidden, Invalid


class DocumentVoid(Conflict):
    code = "document_void"
    message = "The document is void: nothing is owed for it."


class NothingDecided(Conflict):
    code = "nothing_decided"
    message = "There is nothing to pay yet: no payment has been ordered (14.III.8)."


class ResultsNotEstablished(Conflict):
    code = "results_not_established"
    message = "It can be presented or deposited once the results are established, not before."


class NoPrize(Conflict):
    code = "no_prize"
    message = "The document has no prize."


class PaidTooEarly(Conflict):
    code = "paid_too_early"
    message = "The document may be paid from its first day of payment on (14.III.10.2)."


class ClaimLapsed(Conflict):
    code = "claim_lapsed"
    message = "The last day to present it has passed: every right has lapsed (14.III.10.2)."


class AlreadyPaid(Conflict):
    code = "already_paid"
    message = "It has been paid already."


class AlreadyExchanged(Conflict):
    code = "already_exchanged"
    message = "It has been exchanged for the prize in kind already."


class MoneyHeld(Conflict):
    code = "held_apart"
    message = "Its money is held until two persons decide (14.III.10.5)."


class ClaimRefused(Conflict):
    code = "claim_refused"
    message = "Two persons decided that it is not paid (14.III.10.5)."


class ReceiptNeeded(Conflict):
    code = "deposit_receipt_needed"
    message = "A deposited document is paid only against the receipt of its deposit."


class PlaceNotAllowed(Forbidden):
    code = "place_not_allowed"
    message = "An amount like this is not paid here (14.III.10.2)."


class ThingPlaceNotAllowed(Forbidden):
    code = "thing_place_not_allowed"
    message = "A prize in kind, or its value in money, is given at the Central Office (15.III.6.5)."


class DocumentAltered(Conflict):
    code = "document_altered"
    message = "A torn, crossed out or amended document is not paid; it can be deposited (10.3)."


class AmountDiffers(Conflict):
    code = "amount_differs"
    message = "The amount is not what the document is owed; check it again."


class PayeeMissing(Invalid):
    code = "payee_missing"
    message = "A nominative cheque needs the payee's name and identity document (14.III.10.6)."


class PayeeNotNeeded(Invalid):
    code = "payee_not_needed"
    message = "Identity is recorded only for nominative cheques; do not send it."


class CashSessionMissing(Conflict):
    code = "cash_session_missing"
    message = (
        "The cash session is not open: at an office, cash is paid and moved only in a cashier's"
        " open session."
    )


class CashShort(Conflict):
    code = "cash_short"
    message = "The cash session does not hold that much."


class SecondPersonNeeded(Forbidden):
    code = "second_person_needed"
    message = "An amount like this needs a second person, who is signed on in another session."


class PayerHandedOver(Forbidden):
    code = "payer_handed_over"
    message = "A person who handed the document over, as the first or the second, cannot pay it."


class RequestUuidReused(Conflict):
    code = "payment_uuid_reused"
    message = "That UUID belongs to another act of the office, or to one with other content."


class PresentationNeedless(Conflict):
    code = "presentation_needless"
    message = "There is no need to present it: its claim cannot lapse any more."


class NotInKind(Conflict):
    code = "not_in_kind"
    message = "This document is for money, not for a prize in kind."


class OutOfStock(Conflict):
    code = "out_of_stock"
    message = "The thing is not in stock here."
