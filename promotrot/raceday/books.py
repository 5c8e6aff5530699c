"""Name Promotrot's accounts in the books of the demonstration."""

from core.tools.raceday.books import PARTS

ACCOUNT_NAMES = (
    (rf"promotrot:organiser:({PARTS})", r"Promotrot, organiser's share: \1"),
    (r"promotrot:organiser:unclaimed", "Promotrot: prizes that nobody claimed"),
    (r"promotrot:organiser:late", "Promotrot: prizes won after the closing"),
    (r"promotrot:(.+):prizes", r"Promotrot, \1: owed to prizes of the game"),
    (r"promotrot:(.+):authority", r"Promotrot, \1: owed, for the authority to decide"),
    (r"promotrot:(.+):takings", r"Promotrot, \1: takings"),
    (r"promotrot:(.+):vouchers", r"Promotrot, \1: prizes to be claimed"),
    (r"promotrot:(.+):refunds", r"Promotrot, \1: prices to be given back"),
    (r"promotrot:(.+):held", r"Promotrot, \1: prizes held until a decision"),
)
