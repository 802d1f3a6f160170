-- fragment: check_copies
SELECT 'warning', 'cluster', 'several nodes of this cluster may be written to: a guard holds on one node only, not over the nodes',
       'Send all of Dibs to one node: docs/reference/scaling.md'
  FROM DUAL
 WHERE EXISTS (SELECT 1 FROM performance_schema.global_variables
                WHERE variable_name = 'group_replication_single_primary_mode' AND variable_value = 'OFF')
    OR EXISTS (SELECT 1 FROM performance_schema.global_status WHERE variable_name = 'wsrep_ready' AND variable_value = 'ON')

UNION ALL
SELECT 'error', 'binlog_format', 'STATEMENT: InnoDB refuses READ COMMITTED then (error 1665)', 'Set binlog_format = ROW'
  FROM DUAL WHERE @@log_bin = 1 AND @@binlog_format = 'STATEMENT'

-- fragment: check_modes
SELECT 'warning', 'sql_mode', 'NO_BACKSLASH_ESCAPES: if the driver does not know of it, names with a backslash are not found',
       'Leave it out, or set it by sessionVariables in the url'
  FROM DUAL WHERE find_in_set('NO_BACKSLASH_ESCAPES', @@sql_mode) > 0
UNION ALL
SELECT 'warning', 'sql_mode', 'PAD_CHAR_TO_FULL_LENGTH: claims with a token column of type CHAR, or a key of type ENUM or SET, do'
       ' not find their rows again', 'Leave it out, or use VARCHAR for the token'
  FROM DUAL WHERE find_in_set('PAD_CHAR_TO_FULL_LENGTH', @@sql_mode) > 0
UNION ALL
SELECT 'error', 'transaction_read_only', 'on: nothing can be written', 'Set transaction_read_only = 0'
  FROM DUAL WHERE @@transaction_read_only = 1

-- name: find_conditions
-- The catalog writes a backslash before each quotation mark and each backslash.
SELECT 1 AS is_rule, c.constraint_name AS name,
       regexp_replace(k.check_clause, concat(char(92 USING utf8mb4), char(92 USING utf8mb4), '(.)'), '$1') AS clause
  FROM information_schema.table_constraints AS c
  JOIN information_schema.check_constraints AS k
    ON k.constraint_schema = c.constraint_schema AND k.constraint_name = c.constraint_name
 WHERE c.constraint_type = 'CHECK' AND c.enforced = 'YES'
   AND c.table_schema = coalesce(nullif(:schema, ''), database()) AND c.table_name = :name
UNION ALL
{bound_columns};
