-- What `dibs doctor` and the check at start ask of the database.

-- name: read_clock
-- What the database's clock says.
SELECT {now} AS read_at;

-- name: check_settings
-- A row a finding: level (ok, note, warning, error), subject, message, remedy.
SELECT 'note' AS level, 'settings' AS subject, 'nobody has told which settings of this database matter' AS message,
       'See that a committed transaction survives a crash of the server' AS remedy;

-- The rest is about a table of the user's whose rows are claimed.

-- fragment: claim_index
-- The index that leads to the open rows. {index}, {table}, {columns} and {filter} are filled in by the one who needs it.
CREATE INDEX {index} ON {table} ({columns})

-- fragment: partial_claim_index
-- The same, of the open rows only.
CREATE INDEX {index} ON {table} ({columns}) WHERE {filter}

-- name: find_index_filters
-- The conditions of the table's indexes, where the driver does not tell them.
SELECT '' AS index_name, '' AS filter
  FROM (SELECT CAST(:table AS char(1000)) AS of_table) AS nothing
 WHERE 1 = 0;

-- name: check_claimed_table
-- A row a finding, as above, on how the table is stored. :token and :until are the columns in which claims are kept.
SELECT 'note' AS level, '' AS subject, '' AS message, '' AS remedy
  FROM (SELECT CAST(:table AS char(1000)) AS of_table, CAST(:token AS char(1000)) AS token,
               CAST(:until AS char(1000)) AS until_when) AS nothing
 WHERE 1 = 0;
