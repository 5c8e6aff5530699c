"""What is wrong with a programme or a classification, row by row, in the language of the page."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import CODES

# The sentences of `lototrot.engine.programme`, which knows no languages.
PROGRAMME = {
    "too_large": _("The file has {size} bytes; at most {limit} are read."),
    "not_utf8": _("The file is not UTF-8 text."),
    "json_syntax": _("This is not JSON: {why}."),
    "json_too_deep": _("Lists and objects are nested too deeply."),
    "csv_syntax": _("This is not CSV: {why}."),
    "too_many_errors": _("There are more than {limit} errors; the rest was not looked at."),
    "unknown_format": _("The format must be {wanted}."),
    "duplicate_key": _("The field {name} is given more than once."),
    "unknown_field": _("There is no field {name} here."),
    "missing_field": _("The field {name} must be given."),
    "wrong_type": _("This must be {wanted}."),
    "missing_column": _("The column {name} must be in the first line."),
    "unknown_column": _("There is no column {name}."),
    "repeated_column": _("The column {name} is there more than once."),
    "row_length": _("This line has {cells} cells, the first line has {columns}."),
    "no_rows": _("There is no line after the first."),
    "inconsistent": _("This differs from {other}, which must say the same."),
    "out_of_range": _("This must be from {low} to {high}."),
    "too_long": _("This has {length} characters; at most {limit} are allowed."),
    "control_character": _("There is an invisible character (U+{point}) at position {position}."),
    "bad_format": _("This must look like {wanted}."),
    "not_allowed": _("This must be one of {wanted}."),
    "bad_date": _("There is no such day, or it is not written YYYY-MM-DD."),
    "bad_start": _("There is no such time, or it is not written YYYY-MM-DDThh:mm+hh:mm."),
    "start_without_offset": _("The start needs its offset from UTC, like +02:00."),
    "unknown_timezone": _("There is no such time zone; they are written like Europe/Madrid."),
    "start_offset_mismatch": _("In {zone} the offset is then {wanted}."),
    "start_not_on_day": _("In {zone} this is on {local}, not on the meeting's day {day}."),
    "starts_out_of_order": _("This is not later than race {number}'s start ({other})."),
    "no_races": _("The programme has no race."),
    "repeated_racecourse": _("The racecourse {name} is already at {other}."),
    "unknown_racecourse": _("There is no racecourse {name} in this programme."),
    "racecourse_without_races": _("The racecourse {name} has no race."),
    "repeated_race": _("Race {number} of {name} is already at {other}."),
    "too_few_runners": _("A race needs at least {fewest} runners."),
    "repeated_number": _("The number {number} is already at {other}."),
}
# Those of `lototrot.services.races.classification`.
CLASSIFICATION = {
    "no_winner": _("There is no winner."),
    "number_unknown": _("{number} is not in the programme."),
    "number_repeated": _("{number} is given {times} times."),
    "number_missing": _("Nothing is said of {number}."),
    "outcome_unknown": _("{outcome} is none of {outcomes}."),
    "not_withdrawn": _("No withdrawal of {number} is on record."),
    "is_withdrawn": _("{number} is on record as withdrawn."),
    "withdrawal_too_late": _("It is not before the start."),
    "place_wrong": _("A place of {place} cannot be."),
}
CODES |= PROGRAMME | CLASSIFICATION
