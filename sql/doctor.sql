-- What `dibs doctor` and the check at start ask of the database.

-- name: read_clock
SELECT {now} AS read_at;

-- name: check_settings
-- A row a finding: level (ok, note, warning, error), subject, message, remedy.
SELECT 'note' AS level, 'settings' AS subject, 'nobody has told which settings of this database matter' AS message,
       'See that a committed transaction survives a crash of the server' AS remedy;
