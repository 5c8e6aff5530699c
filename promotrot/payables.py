"""List the documents of Promotrot that the prize office pays: vouchers."""

from core.payoffice.sources import Source
from promotrot.services.payables import VOUCHERS

PAYABLES: tuple[Source, ...] = (VOUCHERS,)
