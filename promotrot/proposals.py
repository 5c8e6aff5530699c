"""List the acts of Promotrot that two persons must do."""

from promotrot.services import closing, ending, games

KINDS = (games.APPROVAL, closing.CLOSING, ending.ENDING)
