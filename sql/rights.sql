-- The rights that the database's user needs, for each table of Dibs: {table}, with its {columns}, one of which is
-- {column}.

-- name: grant
-- For the owner of the tables to run. {role} is the user.
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {role};

-- name: may_select
-- Reads no row, but needs the right.
SELECT {columns} FROM {table} WHERE 1 = 0;

-- name: may_insert
-- Writes no row, but needs the right.
INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE 1 = 0;

-- name: may_update
-- Changes no row, but needs the right.
UPDATE {table} SET {column} = {column} WHERE 1 = 0;

-- name: may_delete
-- Deletes no row, but needs the right.
DELETE FROM {table} WHERE 1 = 0;
