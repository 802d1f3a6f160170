-- name: check_settings
SELECT CASE WHEN current_setting('fsync') = 'on' THEN 'ok' ELSE 'warning' END AS level, 'fsync' AS subject,
       CASE WHEN current_setting('fsync') = 'on' THEN 'on'
            ELSE 'off: after a crash of the machine a lock that was granted can be granted again' END AS message,
       CASE WHEN current_setting('fsync') = 'on' THEN '' ELSE 'Set fsync = on in postgresql.conf' END AS remedy
UNION ALL
SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'warning' ELSE 'ok' END, 'synchronous_commit',
       CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'off: after a crash of the server a lock that was granted can be granted again'
            ELSE current_setting('synchronous_commit') END,
       CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'Set synchronous_commit = on, at least for this user: ALTER ROLE .. SET synchronous_commit = on' ELSE '' END
UNION ALL
SELECT 'error', 'standby', 'this server is a standby: it can not be written to',
       'Give the primary''s address, or targetServerType=primary in the url'
 WHERE pg_is_in_recovery()
UNION ALL
SELECT 'error', 'default_transaction_read_only', 'on: nothing can be written', 'Set default_transaction_read_only = off'
 WHERE current_setting('default_transaction_read_only') = 'on'
UNION ALL
SELECT CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms') THEN 'note' ELSE 'ok' END,
       'idle_in_transaction_session_timeout',
       CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms')
            THEN 'off: a holder that hangs inside a guarded transaction keeps the lock until its connection is dropped'
            ELSE current_setting('idle_in_transaction_session_timeout') END,
       CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms')
            THEN 'Set it to the longest that a transaction of yours may sit idle, as in 5min' ELSE '' END
UNION ALL
SELECT CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN 'ok' ELSE 'note' END, 'tcp_keepalives_idle',
       CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN current_setting('tcp_keepalives_idle') || ' s'
            ELSE current_setting('tcp_keepalives_idle') || ' s: so long (0: as long as the system has it) a machine that'
              || ' vanished inside a guarded transaction goes unnoticed' END,
       CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN '' ELSE 'Set tcp_keepalives_idle = 60' END;

-- name: check_claimed_table
-- An update leaves the indexes alone (a HOT update) if its page has room and no indexed column has changed.
SELECT 'note' AS level, 'claims fillfactor' AS subject,
       'its pages are filled to the last: a claim has to move rows to other pages' AS message,
       'ALTER TABLE ' || :table || ' SET (fillfactor = 70): claims are 10 to 30 % faster once the rows have been written anew' AS remedy
  FROM pg_class AS c
 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
   AND NOT EXISTS (SELECT 1 FROM pg_options_to_table(c.reloptions)
                    WHERE option_name = 'fillfactor' AND option_value::int < 100)
UNION ALL
SELECT 'note', 'claims HOT updates',
       'the index ' || i.relname || ' contains ' || string_agg(a.attname, ', ') || ': each claim has to write all indexes of the row',
       'Leave ' || string_agg(a.attname, ', ') || ' out of it if you can do without'
  FROM pg_index AS x
  JOIN pg_class AS i ON i.oid = x.indexrelid
  JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
 WHERE x.indrelid = to_regclass(:table) AND a.attname IN (:token, :until)
 GROUP BY i.relname
UNION ALL
SELECT 'warning', 'claims vacuum', 'autovacuum is off: what was finished stays in the index, and each claim walks past all of it',
       'Switch it on, or run VACUUM (INDEX_CLEANUP ON) ' || :table || ' often'
  FROM pg_class AS c
 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
   AND NOT (current_setting('autovacuum')::boolean
            AND coalesce((SELECT option_value FROM pg_options_to_table(c.reloptions)
                           WHERE option_name = 'autovacuum_enabled'), 'on')::boolean)
UNION ALL
-- By default VACUUM waits for a fifth of the table, and skips the indexes if less than 2 % of the pages have changed.
SELECT 'note', 'claims vacuum',
       'up to ' || many.rows || ' finished rows stay in the index until VACUUM takes them out: each claim walks past them',
       'ALTER TABLE ' || :table || ' SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,'
         || ' vacuum_index_cleanup = on)'
  FROM (SELECT greatest(o.threshold + o.share * o.rows, CASE WHEN o.all_indexes THEN 0 ELSE 0.02 * o.rows END)::bigint AS rows
          FROM (SELECT greatest(c.reltuples, 0)::float8 AS rows,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'autovacuum_vacuum_threshold'),
                                current_setting('autovacuum_vacuum_threshold'))::float8 AS threshold,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'autovacuum_vacuum_scale_factor'),
                                current_setting('autovacuum_vacuum_scale_factor'))::float8 AS share,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'vacuum_index_cleanup'), 'auto')
                         IN ('on', 'true', 'yes', '1') AS all_indexes
                  FROM pg_class AS c
                  LEFT JOIN LATERAL pg_options_to_table(c.reloptions) AS s ON true
                 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
                 GROUP BY c.oid, c.reltuples) AS o) AS many
 WHERE many.rows > 50000;
