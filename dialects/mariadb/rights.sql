-- name: may_delete
SET STATEMENT sql_safe_updates = 0 FOR
DELETE FROM {table} WHERE 1 = 0;
