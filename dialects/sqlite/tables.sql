-- name: change_column
-- SQLite cannot change a column.
ALTER TABLE {table} RENAME TO a name that is free; make the table again with Dibs.admin().createSchema(), and copy the rows;

-- name: add_key
CREATE UNIQUE INDEX {table}_key ON {bare} ({column});

-- name: allow_null
ALTER TABLE {table} ADD COLUMN {column}_2 {type}, and name that column in the place of {column};

-- fragment: drift_there
SELECT 'table' AS fact, '' AS index_name, '' AS column_name
  FROM pragma_table_list('{table_name}') AS t
 WHERE lower(t.schema) = lower({table_schema}) AND t.type = 'table'
UNION ALL
SELECT CASE i.origin WHEN 'pk' THEN 'primary' ELSE 'unique' END, i.name, lower(coalesce(c.name, ''))
  FROM pragma_table_list('{table_name}') AS t
 CROSS JOIN pragma_index_list('{table_name}', t.schema) AS i
 CROSS JOIN pragma_index_info(i.name, t.schema) AS c
 WHERE lower(t.schema) = lower({table_schema}) AND i."unique" = 1 AND i.partial = 0
UNION ALL
SELECT 'nullable', '', lower(c.name)
  FROM pragma_table_list('{table_name}') AS t CROSS JOIN pragma_table_info('{table_name}', t.schema) AS c
 WHERE lower(t.schema) = lower({table_schema}) AND c."notnull" = 0 AND NOT (t.wr AND c.pk > 0)

-- name: compare_texts
SELECT 1 AS alike
  FROM (SELECT {column} FROM {table} WHERE 1 = 0 UNION ALL SELECT char(97, 233)) AS t
 WHERE {column} IN (char(65, 233), char(97, 233, 32), 'ae', char(97, 101, 769));
