-- name: add_column
-- transaction: one for all steps
SELECT set_config('lock_timeout', '1000', true);
-- then
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition};
