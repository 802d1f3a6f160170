-- name: may_delete
DELETE FROM {table} WHERE 1 = 0;
