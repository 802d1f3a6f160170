-- name: add_column
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition};
