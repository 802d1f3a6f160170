-- name: check_settings
-- H2 lists a setting of the URL twice.
SELECT DISTINCT CASE WHEN setting_value = '0' THEN 'ok' ELSE 'warning' END AS level, 'WRITE_DELAY' AS subject,
       CASE WHEN setting_value = '0' THEN 'a commit is written at once'
            ELSE 'commits are written up to ' || setting_value || ' ms later: if the process that hosts the database is'
              || ' killed, a lock that it has just granted is forgotten and can be granted again' END AS message,
       CASE WHEN setting_value = '0' THEN '' ELSE 'Add ;WRITE_DELAY=0 to the url' END AS remedy
  FROM information_schema.settings
 WHERE setting_name = 'WRITE_DELAY'
UNION ALL
SELECT 'warning', 'interrupts',
       'an interrupt of a thread of this process that is inside of H2 closes the database''s file for the whole process',
       'Begin the url with jdbc:h2:async: in the place of jdbc:h2: or jdbc:h2:file:'
  FROM information_schema.sessions
 WHERE session_id = session_id() AND client_addr IS NULL AND database_path() NOT LIKE 'async:%'
UNION ALL
-- H2 lists DB_CLOSE_DELAY only if it is set. A database in memory has no path.
SELECT 'warning', 'memory',
       CASE WHEN database() = 'UNNAMED' THEN 'a database in memory without a name is that of one connection alone'
            ELSE 'a database in memory ends with its last connection, and its tables with it' END,
       CASE WHEN database() = 'UNNAMED' THEN 'Name it, as in jdbc:h2:mem:app;DB_CLOSE_DELAY=-1'
            ELSE 'Add ;DB_CLOSE_DELAY=-1 to the url' END
 WHERE database_path() IS NULL
   AND (database() = 'UNNAMED'
        OR NOT EXISTS (SELECT 1 FROM information_schema.settings WHERE setting_name = 'DB_CLOSE_DELAY' AND setting_value <> '0'))
UNION ALL
SELECT 'error', 'names', 'the column ' || column_name || ' of ' || table_name || ' ignores case, so that different names meet',
       'Make the tables again after SET IGNORECASE FALSE'
  FROM information_schema.columns
 WHERE lower(table_name) LIKE '%lock' AND lower(column_name) = 'name' AND data_type = 'VARCHAR_IGNORECASE';
