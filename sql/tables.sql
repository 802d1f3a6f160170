-- Statements about one table of Dibs, {table}, that exists.

-- name: look_at_table
-- Returns no row, but the columns that exist. A column protocol_N means that the table is of protocol N. Sent once an
-- instance, before the first statement for the table, and where the catalog hides it.
SELECT * FROM {table} WHERE 0 = 1;

-- name: add_column
-- Adds a column that tables of an earlier version lack: {definition} is its name and type. It may be NULL, or has a
-- default, since programs of the earlier version do not write it. Where the database can, it is no error if the column
-- is there, and the wait for open transactions on the table is short: other statements wait behind this one.
ALTER TABLE {table} ADD COLUMN {definition};
