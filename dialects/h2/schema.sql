-- fragment: folded
-- The settings of the database say whether it folds.
(SELECT CASE max(s.setting_name) WHEN 'DATABASE_TO_UPPER' THEN upper('#')
             WHEN 'DATABASE_TO_LOWER' THEN lower('#') ELSE '#' END
   FROM information_schema.settings AS s
  WHERE s.setting_name IN ('DATABASE_TO_UPPER', 'DATABASE_TO_LOWER') AND upper(s.setting_value) = 'TRUE')

-- fragment: columns_there
-- A linked table is in another database, whose locks H2 does not take.
SELECT '{table}' AS in_table, c.column_name AS name,
       CASE WHEN t.table_type <> 'BASE TABLE' THEN t.table_type
            WHEN t.storage_type = 'TABLE LINK' THEN 'a linked table' ELSE '' END AS form
  FROM information_schema.columns AS c
  JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
 WHERE c.table_schema = {table_schema} AND upper(c.table_name) = upper('{table_name}')
