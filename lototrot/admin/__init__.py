from lototrot.admin import contests, programme, rules, running, settling, tickets, words

__all__ = ["contests", "programme", "rules", "running", "settling", "tickets", "words"]
