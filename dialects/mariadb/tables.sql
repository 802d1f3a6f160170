-- name: add_column
SET STATEMENT lock_wait_timeout = 1 FOR
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition};

-- name: change_column
ALTER TABLE {table} MODIFY COLUMN {column} {type} {null};

-- name: allow_null
ALTER TABLE {table} MODIFY COLUMN {column} {type} NULL DEFAULT NULL;

-- fragment: drift_there
-- An index of the first letters has a sub_part. A character set with all letters needs four bytes for each.
SELECT 'table' AS fact, '' AS index_name, '' AS column_name
  FROM information_schema.tables AS t
 WHERE t.table_schema = {table_schema} AND t.table_name = '{table_name}' AND t.table_type = 'BASE TABLE'
UNION ALL
SELECT CASE s.index_name WHEN 'PRIMARY' THEN 'primary' ELSE 'unique' END, s.index_name,
       CASE WHEN s.sub_part IS NULL THEN lower(coalesce(s.column_name, '')) ELSE '' END
  FROM information_schema.statistics AS s
 WHERE s.table_schema = {table_schema} AND s.table_name = '{table_name}' AND s.non_unique = 0
UNION ALL
SELECT 'narrow', '', lower(c.column_name)
  FROM information_schema.columns AS c
 WHERE c.table_schema = {table_schema} AND c.table_name = '{table_name}' AND c.data_type IN ('varchar', 'char')
   AND c.character_octet_length < 4 * c.character_maximum_length
UNION ALL
SELECT 'nullable', '', lower(c.column_name)
  FROM information_schema.columns AS c
 WHERE c.table_schema = {table_schema} AND c.table_name = '{table_name}' AND c.is_nullable = 'YES'

-- name: compare_texts
-- The letters as UTF-8.
SELECT 1 AS alike
  FROM (SELECT {column} FROM {table} WHERE 1 = 0 UNION ALL SELECT _utf8mb4 x'61c3a9') AS t
 WHERE {column} IN (_utf8mb4 x'41c3a9', _utf8mb4 x'61c3a920', _utf8mb4 x'6165', _utf8mb4 x'6165cc81');
