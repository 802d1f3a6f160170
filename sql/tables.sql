-- Statements about one table that exists, {table}: of Dibs, unless they say otherwise.

-- name: look_at_table
-- Returns no row, but the columns that exist. A column protocol_N means that the table is of protocol N. Sent once an
-- instance, before the first statement for the table, and where the catalog hides it.
SELECT * FROM {table} WHERE 0 = 1;

-- name: add_column
-- Adds a column that tables of an earlier version lack: {definition} is its name and type. It may be NULL, or has a
-- default, since programs of the earlier version do not write it. Where the database can, it is no error if the column
-- is there, and the wait for open transactions on the table is short: other statements wait behind this one.
ALTER TABLE {table} ADD COLUMN {definition};

-- name: change_column
-- For a person: gives {column} back its {type}, and {null}: NULL or NOT NULL. {set_null} is DROP NOT NULL or SET NOT NULL.
ALTER TABLE {table} ALTER COLUMN {column} {type} {null};

-- name: add_key
-- For a person: makes {column}, one or several with commas, a key again. {kind} is PRIMARY KEY or UNIQUE, {drop} removes a key that is unfit, and {bare}
-- is the table's name without a schema.
ALTER TABLE {table} {drop}ADD {kind} ({column});

-- name: allow_null
-- For a person: lets {column} of a table of the user's be NULL, by default. {type} is its type.
ALTER TABLE {table} ALTER COLUMN {column} {type} DEFAULT NULL NULL;

-- fragment: drift_there
-- What the catalog shows of the table, in rows. fact is "table" if it is an ordinary one; "primary" and "unique" for each
-- column of such an index, if it is valid and has all rows; "unfit" for a constraint in the way, where column_name is what
-- ALTER TABLE removes it with; "narrow" for a column whose character set lacks letters; "nullable" for one that may be NULL. Columns are in lower case. Names are
-- as in columns_there.
SELECT 'table' AS fact, '' AS index_name, '' AS column_name
  FROM information_schema.tables AS t
 WHERE t.table_schema = {table_schema} AND upper(t.table_name) = upper('{table_name}') AND t.table_type = 'BASE TABLE'
UNION ALL
SELECT CASE WHEN i.index_type_name = 'PRIMARY KEY' THEN 'primary' ELSE 'unique' END, i.index_name, lower(c.column_name)
  FROM information_schema.indexes AS i
  JOIN information_schema.index_columns AS c ON c.index_schema = i.index_schema AND c.index_name = i.index_name
 WHERE i.table_schema = {table_schema} AND upper(i.table_name) = upper('{table_name}') AND c.is_unique
UNION ALL
SELECT 'nullable', '', lower(c.column_name)
  FROM information_schema.columns AS c
 WHERE c.table_schema = {table_schema} AND upper(c.table_name) = upper('{table_name}') AND c.is_nullable = 'YES'

-- name: find_drift
-- The rows of drift_there.
{drift_there};

-- name: compare_texts
-- Returns a row if the {column} takes different texts for equal: capitals, a blank at the end, a letter without its accent,
-- the accent as a character of its own. The collation of the column compares. {table_text} is {table} in a literal.
SELECT 1 AS alike
  FROM (SELECT {column} FROM {table} WHERE 1 = 0 UNION ALL SELECT U&'a\00e9') AS t
 WHERE {column} IN (U&'A\00e9', U&'a\00e9 ', U&'ae', U&'ae\0301');

-- name: check_rule
-- About a table of the user's: returns a row if {rule}, the condition of a constraint, refuses what a claim writes into its
-- {columns}: {free} or {claimed}. It fails if the rule needs other columns, too.
SELECT 1 AS refused
  FROM (SELECT {columns} FROM {table} WHERE 1 = 0 UNION ALL SELECT {free} UNION ALL SELECT {claimed}) AS t
 WHERE NOT ({rule});
