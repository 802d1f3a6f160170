-- fragment: check_copies
SELECT 'warning', 'cluster', 'several nodes of this cluster may be written to: a guard holds on one node only, not over the nodes',
       'Send all of Dibs to one node: docs/reference/scaling.md'
  FROM DUAL
 WHERE EXISTS (SELECT 1 FROM performance_schema.global_variables
                WHERE variable_name = 'group_replication_single_primary_mode' AND variable_value = 'OFF')
    OR EXISTS (SELECT 1 FROM performance_schema.global_status WHERE variable_name = 'wsrep_ready' AND variable_value = 'ON')

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
