-- name: add_column
ALTER TABLE {table} ADD COLUMN {definition};
