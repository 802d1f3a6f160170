-- What the database's user must be allowed, once for each table of ours: {table}, with {columns} and one of them as {column}.

-- name: grant
-- For whoever owns the tables. {role} is the user.
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {role};

-- name: may_select
-- Reads no row, and is refused as if it did.
SELECT {columns} FROM {table} WHERE 1 = 0;

-- name: may_insert
-- Writes no row, and is refused as if it did.
INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE 1 = 0;

-- name: may_update
-- The same.
UPDATE {table} SET {column} = {column} WHERE 1 = 0;

-- name: may_delete
-- The same.
DELETE FROM {table} WHERE 1 = 0;

-- The rest is asked once an instance, before the first statement about a table of ours, and where the catalog hides a table.

-- name: look_at_table
-- No row, but the columns that are there: one that is called protocol_N says that the table is of protocol N.
SELECT * FROM {table} WHERE 0 = 1;
