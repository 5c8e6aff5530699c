-- The names of operators are erased as those of staff (core/staff/sql/names.sql).
CREATE OR REPLACE TRIGGER name_erased BEFORE UPDATE OF name_key, name_erased_at ON premises_operator
    FOR EACH ROW EXECUTE FUNCTION staff_guard_name('names_of_operators');
