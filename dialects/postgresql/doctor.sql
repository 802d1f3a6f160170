-- name: read_version
SELECT version();

-- name: check_settings
-- Aurora DSQL alone has the table sys.iam_pg_role_mappings.
SELECT 'ok' AS level, 'version' AS subject,
       version() || CASE WHEN to_regclass('sys.iam_pg_role_mappings') IS NULL THEN '' ELSE ' (Aurora DSQL)' END AS message,
       '' AS remedy
UNION ALL
SELECT CASE WHEN current_setting('fsync') = 'on' THEN 'ok' ELSE 'warning' END, 'fsync',
       CASE WHEN current_setting('fsync') = 'on' THEN 'on'
            ELSE 'off: after a crash of the machine a lock that was granted can be granted again' END,
       CASE WHEN current_setting('fsync') = 'on' THEN '' ELSE 'Set fsync = on in postgresql.conf' END
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
-- The state of a standby is NULL for users without pg_monitor. A logical subscriber is no standby, a base backup neither.
SELECT CASE WHEN s.nobody_waits OR s.asynchronous > 0 AND s.waited_for = 0 THEN 'warning'
            WHEN s.waited_for = s.attached THEN 'ok' ELSE 'note' END,
       'standby',
       CASE WHEN s.nobody_waits OR s.asynchronous > 0 AND s.waited_for = 0
            THEN 'an asynchronous standby is attached: a failover to it may forget grants, which are then granted again'
            WHEN s.waited_for = s.attached THEN 'synchronous'
            WHEN s.asynchronous > 0
            THEN 'an asynchronous standby is attached beside a synchronous one: a failover to it may forget grants'
            ELSE 'a standby is attached, but this user cannot see whether commits wait for it' END,
       CASE WHEN s.nobody_waits OR s.asynchronous > 0 AND s.waited_for = 0
            THEN 'Set synchronous_standby_names, and synchronous_commit = on, or never promote it: docs/reference/scaling.md'
            WHEN s.waited_for = s.attached THEN ''
            WHEN s.asynchronous > 0 THEN 'Promote only a synchronous one: docs/reference/scaling.md'
            ELSE 'GRANT pg_monitor to this user, and ask again: docs/reference/scaling.md' END
  FROM (SELECT count(*) AS attached,
               count(*) FILTER (WHERE r.sync_state = 'async') AS asynchronous,
               count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum', 'potential')) AS waited_for,
               current_setting('synchronous_standby_names') = ''
                 OR current_setting('synchronous_commit') IN ('off', 'local') AS nobody_waits
          FROM pg_stat_replication AS r
         WHERE r.state IS DISTINCT FROM 'backup'
           AND NOT EXISTS (SELECT 1 FROM pg_replication_slots AS l WHERE l.active_pid = r.pid AND l.slot_type = 'logical')) AS s
 WHERE s.attached > 0
UNION ALL
-- Only Citus has pg_dist_partition, so a text names it. The method n is that of tables that are not distributed.
SELECT 'error', 'citus', 'distributed over nodes: ' || d.tables || '. Citus refuses SKIP LOCKED over several nodes',
       'Make them local: SELECT undistribute_table(..) for each'
  FROM (SELECT CASE WHEN to_regclass('pg_dist_partition') IS NOT NULL THEN substring(query_to_xml(format(
                    'SELECT string_agg(c.relname, '', '' ORDER BY c.relname) AS tables
                       FROM pg_dist_partition AS p
                       JOIN pg_class AS c ON c.oid = p.logicalrelid
                       JOIN pg_namespace AS n ON n.oid = c.relnamespace
                      WHERE p.partmethod <> ''n''
                        AND position(%L IN ''.'' || n.nspname || ''.'' || c.relname) > 0',
                    '.' || array_to_string(parse_ident('{prefix_text}'), '.')),
                    false, true, '')::text FROM '<tables>(.*)</tables>') END AS tables) AS d
 WHERE d.tables <> ''
UNION ALL
SELECT 'warning', 'row-level security',
       'it applies to ' || quote_ident(current_user) || ' on ' || string_agg(c.oid::regclass::text, ', ' ORDER BY c.relname)
         || ': rows that a policy hides count as missing, and changes of them do nothing',
       'ALTER TABLE .. DISABLE ROW LEVEL SECURITY for each, or give Dibs a user with BYPASSRLS'
  FROM (VALUES {table_names}) AS t (name)
  JOIN pg_class AS c ON c.oid = to_regclass('{prefix_text}' || t.name)
 WHERE row_security_active(c.oid)
HAVING count(*) > 0
UNION ALL
SELECT 'error', 'client_encoding', current_setting('client_encoding') || ': other letters of a name are lost, and names meet',
       'Leave client_encoding at UTF8, and allowEncodingChanges out of the url'
 WHERE current_setting('client_encoding') NOT IN ('UTF8', 'UNICODE')
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

-- name: check_cleanup
-- A session keeps what was there at its snapshot (backend_xmin) and since its first write (backend_xid). These two can be
-- seen of each session; its times only if it is one's own user's, or with pg_read_all_stats. VACUUM itself holds nothing
-- back. A slot has the xmin of a standby with hot_standby_feedback; its catalog_xmin keeps rows of the catalog alone.
SELECT 'warning' AS level, 'old transaction' AS subject,
       o.who || ' has had a transaction open for ' || (extract(epoch FROM o.lasted) / 60)::bigint
         || ' min: VACUUM removes no row version that came after it, and frequent calls for one name get slower' AS message,
       o.way_out || ': docs/reference/scaling.md' AS remedy
  FROM (SELECT s.who, clock_timestamp() - s.began AS lasted, s.way_out
          FROM (SELECT 'session ' || a.pid || ' (' || concat_ws(', ', a.usename, nullif(a.application_name, '')) || ')' AS who,
                       a.xact_start AS began, 'End it: SELECT pg_terminate_backend(' || a.pid || ')' AS way_out
                  FROM pg_stat_activity AS a
                 WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL
                   AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) AND a.backend_type <> 'autovacuum worker'
                   AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_vacuum AS v WHERE v.pid = a.pid)
                 ORDER BY greatest(age(a.backend_xmin), age(a.backend_xid)) DESC, a.xact_start
                 LIMIT 1) AS s
        UNION ALL
        SELECT 'the prepared transaction ' || quote_literal(p.gid) || ' (' || p.owner || ')', clock_timestamp() - p.prepared,
               'End it: ROLLBACK PREPARED ' || quote_literal(p.gid) || ', or COMMIT PREPARED'
          FROM pg_prepared_xacts AS p
         WHERE p.database = current_database()) AS o
 WHERE o.lasted >= CAST(:age AS bigint) * interval '1 millisecond'
UNION ALL
SELECT CASE WHEN o.slows THEN 'warning' ELSE 'note' END, 'old transaction',
       o.who || ' keeps old versions of rows' || CASE WHEN o.slows THEN '' ELSE ' of the catalog' END || ': '
         || o.behind || ' transactions began later', o.way_out || ': docs/reference/scaling.md'
  FROM (SELECT 'the replication slot ' || quote_ident(r.slot_name) || CASE WHEN r.active THEN '' ELSE ' (inactive)' END AS who,
               age(coalesce(r.xmin, r.catalog_xmin)) AS behind, r.xmin IS NOT NULL AS slows,
               'If it is forgotten: SELECT pg_drop_replication_slot(' || quote_literal(r.slot_name) || ')' AS way_out
          FROM pg_replication_slots AS r
         WHERE r.database IS NULL OR r.database = current_database()
        UNION ALL
        SELECT 'a query on the standby ' || quote_ident(coalesce(w.application_name, '')) || ' (hot_standby_feedback)',
               age(w.backend_xmin), true, 'End the query on the standby'
          FROM pg_stat_replication AS w
        UNION ALL
        SELECT 'a session of another user', max(greatest(age(a.backend_xmin), age(a.backend_xid))), true,
               'GRANT pg_read_all_stats TO ' || quote_ident(current_user) || ', and ask again'
          FROM pg_stat_activity AS a
         WHERE a.datname = current_database() AND a.xact_start IS NULL) AS o
 WHERE o.behind >= CAST(:behind AS bigint)
UNION ALL
SELECT 'note', 'old transaction', 'the age of the transactions of other users cannot be seen',
       'GRANT pg_read_all_stats TO ' || quote_ident(current_user) || ', and ask again'
 WHERE EXISTS (SELECT 1 FROM pg_stat_activity AS a
                WHERE a.datname = current_database() AND a.query = '<insufficient privilege>');

-- name: find_conditions
-- The driver reports the filters of indexes. A domain has constraints of its own.
SELECT 1 AS is_rule, c.conname::text AS name,
       CASE c.contype WHEN 'c' THEN pg_get_expr(c.conbin, c.conrelid) ELSE quote_ident(a.attname) || ' IS NULL' END AS clause
  FROM pg_constraint AS c
  LEFT JOIN pg_attribute AS a ON c.contype = 'f' AND a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
 WHERE c.conrelid = to_regclass(:table) AND c.contype IN ('c', 'f')
UNION ALL
SELECT 1, c.conname, regexp_replace(pg_get_expr(c.conbin, 0), '\mVALUE\M', quote_ident(a.attname), 'g')
  FROM pg_constraint AS c
  JOIN pg_attribute AS a ON a.atttypid = c.contypid AND a.attrelid = to_regclass(:table)
 WHERE c.contype = 'c';

-- name: check_row_security
-- A view may lead to a table that has policies. A policy applies to a role and its members; 0 is everybody.
SELECT CASE WHEN s.sees AND s.changes THEN 'note' ELSE 'warning' END AS level, 'claims row-level security' AS subject,
       s.of_table || ' has row-level security that applies to ' || quote_ident(current_user) || ': '
         || CASE WHEN s.sees AND s.changes THEN 'rows that a policy hides or does not let it change stay open, without an error'
                 WHEN s.sees THEN 'no policy lets it change a row, so no row is claimed, without an error'
                 ELSE 'no policy lets it see a row, so there seems to be nothing to claim' END AS message,
       'Let policies for SELECT and for UPDATE pass every row that it shall claim, or claim as a user with BYPASSRLS' AS remedy
  FROM (SELECT r.oid::regclass::text AS of_table,
               coalesce(bool_or(p.polcmd IN ('r', '*')), false) AS sees,
               coalesce(bool_or(p.polcmd IN ('w', '*')), false) AS changes
          FROM (SELECT to_regclass(:table)::oid AS oid
                UNION
                SELECT d.refobjid
                  FROM pg_rewrite AS w
                  JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                                     AND d.refclassid = 'pg_class'::regclass
                 WHERE w.ev_class = to_regclass(:table)) AS r
          LEFT JOIN pg_policy AS p ON p.polrelid = r.oid AND p.polpermissive
                AND EXISTS (SELECT 1 FROM unnest(p.polroles) AS role WHERE role = 0 OR pg_has_role(role, 'USAGE'))
         WHERE row_security_active(r.oid)
         GROUP BY r.oid) AS s;

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
       'up to ' || many.left_over || ' finished rows stay in the index until VACUUM takes them out: each claim walks past them',
       'ALTER TABLE ' || :table || ' SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,'
         || ' vacuum_index_cleanup = on)'
  FROM (SELECT greatest(o.threshold + o.share * o.live, CASE WHEN o.all_indexes THEN 0 ELSE 0.02 * o.live END)::bigint
                 AS left_over
          FROM (SELECT greatest(c.reltuples, 0)::float8 AS live,
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
 WHERE many.left_over > 50000;
