-- fragment: check_modes
SELECT 'warning', 'sql_mode', 'NO_BACKSLASH_ESCAPES: if the driver does not know of it, names with a backslash are not found',
       'Leave it out, or set it by sessionVariables in the url'
  FROM DUAL WHERE find_in_set('NO_BACKSLASH_ESCAPES', @@sql_mode) > 0
UNION ALL
SELECT 'error', 'transaction_read_only', 'on: nothing can be written', 'Set transaction_read_only = 0'
  FROM DUAL WHERE @@transaction_read_only = 1

-- name: check_settings
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
SELECT 'warning', 'cluster', 'several nodes of this cluster may be written to: a guard holds on one node only, not over the nodes',
       'Send all of Dibs to one node: docs/reference/scaling.md'
  FROM DUAL
 WHERE EXISTS (SELECT 1 FROM performance_schema.global_variables
                WHERE variable_name = 'group_replication_single_primary_mode' AND variable_value = 'OFF')
    OR EXISTS (SELECT 1 FROM performance_schema.global_status WHERE variable_name = 'wsrep_ready' AND variable_value = 'ON')
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
            THEN 'Set wait_timeout to the longest that a connection of yours sits idle, as in 600' ELSE '' END;
