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

-- name: find_index_filters
-- The conditions of the table's indexes, where the driver does not report them.
SELECT '' AS index_name, '' AS filter
  FROM (SELECT CAST(:table AS char(1000)) AS of_table) AS no_row
 WHERE 1 = 0;

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
