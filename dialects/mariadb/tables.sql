-- name: add_column
SET STATEMENT lock_wait_timeout = 1 FOR
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition};
