-- name: add_column
-- transaction: one for all steps
SELECT set_config('lock_timeout', '1000', true);
-- then
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition};

-- name: change_column
ALTER TABLE {table} ALTER COLUMN {column} TYPE {type}, ALTER COLUMN {column} {set_null};

-- name: allow_null
ALTER TABLE {table} ALTER COLUMN {column} DROP NOT NULL, ALTER COLUMN {column} DROP DEFAULT;

-- fragment: drift_there
-- ON CONFLICT accepts no deferrable key, even beside another one.
SELECT 'table' AS fact, '' AS index_name, '' AS column_name
  FROM pg_class AS c
 WHERE c.oid = to_regclass('{table}') AND c.relkind IN ('r', 'p')
UNION ALL
SELECT CASE WHEN x.indisprimary THEN 'primary' ELSE 'unique' END, x.indexrelid::text, coalesce(a.attname::text, '')
  FROM pg_index AS x
  CROSS JOIN LATERAL generate_series(0, x.indnkeyatts - 1) AS at (place)
  LEFT JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[at.place]
 WHERE x.indrelid = to_regclass('{table}') AND x.indisunique AND x.indisvalid AND x.indisready AND x.indimmediate
   AND x.indpred IS NULL
UNION ALL
SELECT 'unfit', '', format('DROP CONSTRAINT %I, ', o.conname)
  FROM pg_constraint AS o
 WHERE o.conrelid = to_regclass('{table}') AND o.contype IN ('p', 'u') AND o.condeferrable
UNION ALL
SELECT 'nullable', '', a.attname::text
  FROM pg_attribute AS a
 WHERE a.attrelid = to_regclass('{table}') AND a.attnum > 0 AND NOT a.attnotnull

-- name: compare_texts
-- A deterministic collation distinguishes all bytes, but a type may compare in its own way.
SELECT 1 AS alike
  FROM (SELECT {column} FROM {table} WHERE 1 = 0 UNION ALL SELECT 'a') AS t
 WHERE {column} IN ('A', 'a ')
    OR EXISTS (SELECT 1
                 FROM pg_attribute AS a
                 JOIN pg_collation AS c ON c.oid = a.attcollation
                WHERE a.attrelid = to_regclass('{table_text}') AND a.attname = '{column}' AND NOT c.collisdeterministic);
