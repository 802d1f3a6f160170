-- fragment: version
-- Some engines name themselves only in the comment.
concat_ws(' ', version(), @@version_comment)

-- name: read_version
SELECT {version} AS version;

-- fragment: cluster_node
SELECT 'warning', 'galera', 'a node of a cluster: the guard of this dialect holds on one node only, not over the nodes',
       'Send all of Dibs to one node, or say Dialect.named("galera")'

-- fragment: check_copies
-- How changes get to replicas and to other nodes.
SELECT 'error', 'binlog_format', 'STATEMENT: InnoDB refuses READ COMMITTED then (error 1665)', 'Set binlog_format = MIXED'
  FROM DUAL WHERE @@log_bin = 1 AND @@binlog_format = 'STATEMENT'
UNION ALL
{cluster_node}
  FROM information_schema.global_status WHERE variable_name = 'WSREP_READY' AND variable_value = 'ON'

-- fragment: check_modes
-- Modes of the session under which Dibs cannot work.
SELECT 'error', 'sql_mode', 'ORACLE: no lock can be acquired, since this mode has another syntax for blocks',
       'Leave ORACLE out of the sql_mode of the connections of Dibs'
  FROM DUAL WHERE find_in_set('ORACLE', @@sql_mode) > 0
UNION ALL
SELECT 'error', 'tx_read_only', 'on: nothing can be written', 'Set tx_read_only = 0'
  FROM DUAL WHERE @@tx_read_only = 1

-- fragment: check_session
-- The same, on MySQL, too.
SELECT 'error', 'sql_select_limit', concat(@@sql_select_limit, ': lists are cut off, and leases that are held count as lost'),
       'Set sql_select_limit = DEFAULT'
  FROM DUAL WHERE @@sql_select_limit < 1000000
UNION ALL
SELECT 'error', 'character_set_client', concat(@@character_set_client, ': names with other letters become ?, and meet'),
       'Use Unicode for the texts of the connection, such as characterEncoding=UTF-8 in the url'
  FROM DUAL WHERE @@character_set_client <> 'utf8mb4'
UNION ALL
SELECT 'error', 'completion_type', concat(@@completion_type, ': a commit begins another transaction or ends the session'),
       'Set completion_type = NO_CHAIN'
  FROM DUAL WHERE @@completion_type <> 'NO_CHAIN'

-- name: check_settings
-- sql_select_limit does not cut off what has a LIMIT of its own.
SELECT 'ok' AS level, 'version' AS subject, {version} AS message, '' AS remedy
UNION ALL
SELECT CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN 'ok' ELSE 'warning' END, 'innodb_flush_log_at_trx_commit',
       CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN '1'
            ELSE concat(@@innodb_flush_log_at_trx_commit,
                        ': after a crash a lock that was granted can be granted again') END,
       CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN ''
            ELSE 'Set innodb_flush_log_at_trx_commit = 1' END
UNION ALL
SELECT CASE WHEN @@sync_binlog = 1 THEN 'ok' ELSE 'warning' END, 'sync_binlog',
       CASE WHEN @@sync_binlog = 1 THEN '1'
            ELSE concat(@@sync_binlog, ': after a crash of the machine, recovery takes back what the binary log has not')
            END,
       CASE WHEN @@sync_binlog = 1 THEN '' ELSE 'Set sync_binlog = 1' END
  FROM DUAL WHERE @@log_bin = 1
UNION ALL
{check_copies}
UNION ALL
{check_modes}
UNION ALL
{check_session}
UNION ALL
SELECT 'error', 'read_only', 'this server is read-only: it can not be written to', 'Give the primary''s address'
  FROM DUAL WHERE @@read_only = 1
UNION ALL
SELECT CASE WHEN @@wait_timeout > 3600 THEN 'note' ELSE 'ok' END, 'wait_timeout',
       CASE WHEN @@wait_timeout > 3600
            THEN concat(@@wait_timeout, ' s: so long a holder that hangs inside a guarded transaction keeps the lock')
            ELSE concat(@@wait_timeout, ' s') END,
       CASE WHEN @@wait_timeout > 3600
            THEN 'Set wait_timeout to the longest that a connection of yours sits idle, as in 600' ELSE '' END
 LIMIT 100;

-- fragment: bound_columns
-- Those that refer to another table, and those that the database computes.
SELECT 1, u.constraint_name, concat('`', u.column_name, '` IS NULL')
  FROM information_schema.key_column_usage AS u
 WHERE u.table_schema = coalesce(nullif(:schema, ''), database()) AND u.table_name = :name
   AND u.referenced_table_name IS NOT NULL
UNION ALL
SELECT 1, g.column_name, concat('1 = 0 OR `', g.column_name, '` <> `', g.column_name, '`')
  FROM information_schema.columns AS g
 WHERE g.table_schema = coalesce(nullif(:schema, ''), database()) AND g.table_name = :name
   AND coalesce(g.generation_expression, '') <> ''

-- name: find_conditions
SELECT 1 AS is_rule, c.constraint_name AS name, c.check_clause AS clause
  FROM information_schema.check_constraints AS c
 WHERE c.constraint_schema = coalesce(nullif(:schema, ''), database()) AND c.table_name = :name
UNION ALL
{bound_columns};

-- name: check_cleanup
-- Both tables need the right PROCESS. A prepared XA transaction has no session. The times are in the server's own zone,
-- whatever that of the session is. A history list of 10,000 is usual under load, one of 1,000,000 is not.
SELECT 'warning' AS level, 'old transaction' AS subject,
       concat(CASE WHEN o.trx_mysql_thread_id = 0 THEN 'a prepared XA transaction'
                   ELSE concat('session ', o.trx_mysql_thread_id) END,
              ' has had a transaction open for ', o.lasted DIV 60, ' min: old versions of rows stay (history list length: ',
              (SELECT m.count FROM information_schema.innodb_metrics AS m WHERE m.name = 'trx_rseg_history_len'), ')') AS message,
       concat(CASE WHEN o.trx_mysql_thread_id = 0 THEN 'XA RECOVER names it: commit it, or roll it back'
                   ELSE concat('End it: KILL ', o.trx_mysql_thread_id) END, ': docs/reference/scaling.md') AS remedy
  FROM (SELECT t.trx_mysql_thread_id, timestampdiff(SECOND, t.trx_started, convert_tz(utc_timestamp(), '+00:00', 'SYSTEM')) AS lasted
          FROM information_schema.innodb_trx AS t
         WHERE t.trx_mysql_thread_id <> connection_id()
         ORDER BY t.trx_started
         LIMIT 1) AS o
 WHERE o.lasted * 1000 >= :age
UNION ALL
SELECT 'warning', 'history list',
       concat('the history list length is ', m.count, ': old versions of rows stay, and frequent calls for one name get slower'),
       'Find the oldest transaction in information_schema.innodb_trx, or let InnoDB purge more: docs/reference/scaling.md'
  FROM information_schema.innodb_metrics AS m
 WHERE m.name = 'trx_rseg_history_len' AND m.count / 100 >= :behind;

-- name: check_claimed_table
-- Without transactions, a claim that fails halfway has marked some rows, and a completion outlasts a rollback.
SELECT 'error' AS level, 'claims storage' AS subject,
       concat('the engine of the table is ', t.engine, ', which has no transactions') AS message,
       concat('ALTER TABLE ', :table, ' ENGINE = InnoDB') AS remedy
  FROM (SELECT :token AS token, :until AS until_when, replace(:table, '`', '') AS full_name) AS asked
  JOIN information_schema.tables AS t
    ON t.table_name = substring_index(asked.full_name, '.', -1)
   AND t.table_schema = CASE WHEN locate('.', asked.full_name) = 0 THEN database()
                             ELSE substring_index(asked.full_name, '.', 1) END
  JOIN information_schema.engines AS e ON e.engine = t.engine AND e.transactions <> 'YES';
