-- name: add_column
ALTER TABLE {table} ADD {definition};
