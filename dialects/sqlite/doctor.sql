-- name: check_settings
SELECT 'ok' AS level, 'version' AS subject, 'SQLite ' || sqlite_version() AS message, '' AS remedy
UNION ALL
SELECT CASE WHEN journal_mode = 'wal' THEN 'ok' ELSE 'warning' END, 'journal_mode',
       CASE WHEN journal_mode = 'wal' THEN 'wal'
            WHEN journal_mode = 'memory' AND (SELECT file FROM pragma_database_list WHERE name = 'main') = ''
            THEN 'a database in memory is that of one connection alone'
            ELSE journal_mode || ': readers and the writer wait for each other' END,
       CASE WHEN journal_mode = 'wal' THEN ''
            ELSE 'Run PRAGMA journal_mode = WAL once; the file keeps it' END
  FROM pragma_journal_mode
UNION ALL
SELECT CASE WHEN synchronous >= 2 THEN 'ok' ELSE 'warning' END, 'synchronous',
       CASE WHEN synchronous >= 2 THEN 'full'
            ELSE synchronous || ': after a loss of power, a lock that was granted can be granted again' END,
       CASE WHEN synchronous >= 2 THEN '' ELSE 'Set PRAGMA synchronous = FULL on each connection, or ?synchronous=FULL in the url' END
  FROM pragma_synchronous;

-- name: find_file
SELECT file AS path FROM pragma_database_list WHERE name = 'main' AND file <> '';

-- name: find_conditions
-- The catalog shows no CHECK constraints, and a session says whether it checks foreign keys.
SELECT 0 AS is_rule, name, trim(substr(sql, instr(lower(sql), ' where ') + 7)) AS clause
  FROM sqlite_schema
 WHERE type = 'index' AND lower(tbl_name) = lower(:table) AND instr(lower(sql), ' where ') > 0;
