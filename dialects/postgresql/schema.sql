-- fragment: columns_there
-- to_regclass finds the table as a query would, by the search path. A key is not unique over the tables that inherit
-- from one another.
SELECT '{table}' AS in_table, a.attname::text AS name,
       CASE c.relkind WHEN 'r' THEN CASE WHEN c.relispartition THEN 'a partition'
                                         WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
                                         THEN 'inherited' ELSE '' END
                      WHEN 'p' THEN 'partitioned' WHEN 'f' THEN 'a foreign table' ELSE 'a view' END AS form
  FROM pg_attribute AS a
  JOIN pg_class AS c ON c.oid = a.attrelid
 WHERE c.oid = to_regclass('{table}') AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege(c.oid, a.attnum, 'SELECT')
