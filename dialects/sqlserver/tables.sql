-- name: add_column
-- ALTER TABLE waits for each open transaction on the table, and every later statement waits behind it. The driver may
-- send the batch as it is (prepareMethod=none): then the setting would stay. Under XACT_ABORT an error ends the batch.
DECLARE @wait int = @@LOCK_TIMEOUT;
SET LOCK_TIMEOUT 1000;
BEGIN TRY
    ALTER TABLE {table} ADD {definition};
END TRY
BEGIN CATCH
    SET LOCK_TIMEOUT @wait;
    THROW;
END CATCH;
SET LOCK_TIMEOUT @wait;

-- name: allow_null
ALTER TABLE {table} ALTER COLUMN {column} {type} NULL, and drop its default constraint;

-- fragment: drift_there
-- An index that ignores duplicates makes no error of them.
SELECT 'table' AS fact, '' AS index_name, '' AS column_name
  FROM sys.tables AS t
 WHERE t.object_id = object_id(N'{table}')
UNION ALL
SELECT CASE WHEN i.is_primary_key = 1 THEN 'primary' ELSE 'unique' END, i.name, lower(c.name)
  FROM sys.indexes AS i
  JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.is_included_column = 0
  JOIN sys.columns AS c ON c.object_id = i.object_id AND c.column_id = k.column_id
 WHERE i.object_id = object_id(N'{table}') AND i.is_unique = 1 AND i.is_disabled = 0 AND i.has_filter = 0
   AND i.ignore_dup_key = 0
UNION ALL
SELECT 'nullable', '', lower(c.name)
  FROM sys.columns AS c
 WHERE c.object_id = object_id(N'{table}') AND c.is_nullable = 1

-- name: compare_texts
-- No collation distinguishes blanks at the end.
SELECT 1 AS alike
  FROM (SELECT {column} FROM {table} WHERE 1 = 0 UNION ALL SELECT N'a' + nchar(233)) AS t
 WHERE {column} IN (N'A' + nchar(233), N'ae', N'ae' + nchar(769));
