from lototrot.models import contest, programme, running, sealing, settlement, stops, tickets

__all__ = ["contest", "programme", "running", "sealing", "settlement", "stops", "tickets"]
