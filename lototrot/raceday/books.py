"""Name Lototrot's accounts in the books of the demonstration."""

from core.tools.raceday.books import PARTS

ACCOUNT_NAMES = (
    (r"lototrot:contest:(\d+):prizes", r"Lototrot, contest \1: prizes to be claimed"),
    (r"lototrot:contest:(\d+):held", r"Lototrot, contest \1: prizes held until a decision"),
    (r"lototrot:contest:(\d+):lapsed", r"Lototrot, contest \1: unclaimed prizes carried over"),
    (r"lototrot:contest:(\d+):refunds", r"Lototrot, contest \1: refunds of void tickets"),
    (r"lototrot:contest:(\d+):takings", r"Lototrot, contest \1: takings"),
    (r"lototrot:lototrot:carry_over:(\S+)", r"Lototrot: unclaimed prizes of \1"),
    (r"lototrot:lototrot:jackpot", "Lototrot: jackpot of the 7/7"),
    (r"lototrot:lototrot:reserve", "Lototrot: reserve fund of the 7/7"),
    (rf"lototrot:organiser:({PARTS})", r"Lototrot, organiser's share: \1"),
)
