-- fragment: current_schema
database()

-- fragment: folded
-- Schemas are folders, and lower_case_table_names says how they compare.
'#'

-- fragment: columns_there
-- The names are compared as they stand, so that the catalog looks at one table and does not open all. An engine other
-- than InnoDB has no transactions, or no row locks.
SELECT '{table}' AS in_table, c.column_name AS name,
       CASE WHEN t.table_type <> 'BASE TABLE' THEN t.table_type
            WHEN t.engine <> 'InnoDB' THEN concat('engine ', t.engine)
            WHEN t.create_options LIKE '%partitioned%' THEN 'partitioned' ELSE '' END AS form
  FROM information_schema.columns AS c, information_schema.tables AS t
 WHERE c.table_schema = {table_schema} AND c.table_name = '{table_name}'
   AND t.table_schema = {table_schema} AND t.table_name = '{table_name}'
