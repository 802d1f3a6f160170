-- The questions of `dibs doctor` and of the check at start.

-- name: read_clock
-- Reads the database's clock.
SELECT {now} AS read_at;

-- name: check_settings
-- A row for each finding: level (ok, note, warning, error), subject, message, remedy. The message of the subject
-- "version" is the engine's own text: other engines report the same product name.
SELECT 'note' AS level, 'settings' AS subject, 'nobody has told which settings of this database matter' AS message,
       'See that a committed transaction survives a crash of the server' AS remedy;

-- name: read_version
-- The engine's own text, as one column. Asked if check_settings fails. Adapters may know no other text.
SELECT '' AS version;

-- name: find_file
-- The file in which the database is, if the processes that use it open that file themselves.
SELECT '' AS path
  FROM (SELECT 1 AS one) AS no_row
 WHERE 1 = 0;

-- name: check_cleanup
-- A row for each finding, as above: the oldest transactions, of :age milliseconds or more, for which the database keeps old
-- versions of rows. Where no time is known, :behind later transactions count as old.
SELECT 'note' AS level, '' AS subject, '' AS message, '' AS remedy
  FROM (SELECT CAST(:age AS bigint) AS min_age, CAST(:behind AS bigint) AS min_behind) AS no_row
 WHERE 1 = 0;

-- The rest is about a user's table whose rows are claimed.

-- fragment: claim_index
-- The index that leads to the open rows. The caller fills in {index}, {table}, {columns} and {filter}.
CREATE INDEX {index} ON {table} ({columns})

-- fragment: partial_claim_index
-- The same, only of the open rows.
CREATE INDEX {index} ON {table} ({columns}) WHERE {filter}

-- name: find_conditions
-- A row for each condition of :table that the driver does not report: is_rule 0 for the filter of an index, 1 for what every
-- row must meet, as by a CHECK constraint. A column that refers to another table can be NULL, a computed one has no value of
-- ours. :name is the last part of the table's name, :schema the one before, or empty.
SELECT 1 AS is_rule, c.constraint_name AS name, coalesce(k.check_clause, '"' || u.column_name || '" IS NULL') AS clause
  FROM information_schema.table_constraints AS c
  LEFT JOIN information_schema.check_constraints AS k
    ON k.constraint_schema = c.constraint_schema AND k.constraint_name = c.constraint_name
  LEFT JOIN information_schema.key_column_usage AS u
    ON u.constraint_schema = c.constraint_schema AND u.constraint_name = c.constraint_name
 WHERE c.constraint_type IN ('CHECK', 'FOREIGN KEY') AND upper(c.table_name) = upper(:name)
   AND upper(c.table_schema) = upper(coalesce(nullif(CAST(:schema AS varchar(1000)), ''), current_schema))
UNION ALL
SELECT 1, c.column_name, '1 = 0 OR "' || c.column_name || '" <> "' || c.column_name || '"'
  FROM information_schema.columns AS c
  JOIN (SELECT CAST(:table AS varchar(1000)) AS full_name) AS asked ON asked.full_name IS NOT NULL
 WHERE c.is_generated = 'ALWAYS' AND upper(c.table_name) = upper(:name)
   AND upper(c.table_schema) = upper(coalesce(nullif(CAST(:schema AS varchar(1000)), ''), current_schema));

-- name: check_row_security
-- A row for each finding, as above, if the database may hide rows of :table from this user, or leave them unchanged, without
-- an error.
SELECT 'note' AS level, '' AS subject, '' AS message, '' AS remedy
  FROM (SELECT CAST(:table AS char(1000)) AS of_table) AS no_row
 WHERE 1 = 0;

-- name: check_claimed_table
-- A row for each finding, as above, about how the table is stored. :token and :until are the columns in which claims
-- are stored.
SELECT 'note' AS level, '' AS subject, '' AS message, '' AS remedy
  FROM (SELECT CAST(:table AS char(1000)) AS of_table, CAST(:token AS char(1000)) AS token,
               CAST(:until AS char(1000)) AS until_when) AS no_row
 WHERE 1 = 0;
