-- fragment: current_schema
'main'

-- fragment: folded
'#'

-- fragment: columns_there
-- A schema is the name of an attached file.
SELECT '{table}' AS in_table, c.name AS name,
       CASE t.type WHEN 'table' THEN '' ELSE t.type END AS form
  FROM pragma_table_list('{table_name}') AS t CROSS JOIN pragma_table_info('{table_name}', t.schema) AS c
 WHERE lower(t.schema) = lower({table_schema})
