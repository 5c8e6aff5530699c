"""Contribute the documents of Lototrot that the prize office pays: tickets."""

from core.payoffice.sources import Source
from lototrot.services.prizes.payables import TICKETS

PAYABLES: tuple[Source, ...] = (TICKETS,)
