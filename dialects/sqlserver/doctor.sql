-- name: check_settings
-- On a readable secondary is_read_only is 0; only Updateability shows it. Below level 130 there is no OPENJSON. On Azure,
-- db_id() need not be the number of the database here, so its name finds it. 4408 are the five options that an index with a
-- filter needs ON, 8192 is NUMERIC_ROUNDABORT, which it needs OFF.
SELECT CASE WHEN d.delayed_durability = 2 THEN 'warning' ELSE 'ok' END AS level, 'DELAYED_DURABILITY' AS subject,
       CASE WHEN d.delayed_durability = 2
            THEN 'FORCED: after a crash of the server a lock that was granted can be granted again'
            ELSE 'not forced' END AS message,
       CASE WHEN d.delayed_durability = 2
            THEN 'ALTER DATABASE CURRENT SET DELAYED_DURABILITY = DISABLED' ELSE '' END AS remedy
  FROM sys.databases AS d
 WHERE d.name = db_name()
UNION ALL
SELECT CASE WHEN d.is_read_committed_snapshot_on = 1 THEN 'ok' ELSE 'note' END, 'READ_COMMITTED_SNAPSHOT',
       CASE WHEN d.is_read_committed_snapshot_on = 1 THEN 'on'
            ELSE 'off: plain reads wait for writers, so a claim may wait for a transaction that has locked one of its rows. Claims'
            + ' with perKey need it on: they may wait for each other, and may miss a row' END,
       CASE WHEN d.is_read_committed_snapshot_on = 1 THEN ''
            ELSE 'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON, if your programs allow it' END
  FROM sys.databases AS d
 WHERE d.name = db_name()
UNION ALL
SELECT 'warning', 'SET options',
       'not as the driver sets them: a change of a table with a filtered index or an indexed view fails (1934)',
       'In the init SQL of the pool: SET ANSI_WARNINGS, ANSI_PADDING, ANSI_NULLS, QUOTED_IDENTIFIER, '
       + 'CONCAT_NULL_YIELDS_NULL ON; SET NUMERIC_ROUNDABORT OFF'
 WHERE (@@OPTIONS & 4408 <> 4408 OR @@OPTIONS & 8192 = 8192) AND serverproperty('Babelfish') IS NULL
UNION ALL
SELECT 'error', 'compatibility level', 'below 130: this database does not know OPENJSON, and no lease can be renewed',
       'ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 130, or higher'
  FROM sys.databases AS d
 WHERE d.name = db_name() AND d.compatibility_level < 130 AND serverproperty('Babelfish') IS NULL
UNION ALL
SELECT 'error', 'read-only', 'this database is read-only: it can not be written to', 'Give the primary''s address'
 WHERE CAST(databasepropertyex(db_name(), 'Updateability') AS nvarchar(20)) = N'READ_ONLY'
UNION ALL
-- Only a user with a right on the policy sees it. A block predicate is an error, which is told.
SELECT 'warning', 'row-level security',
       'the security policy ' + p.name + ' filters {prefix_text}' + t.name + ': rows that it hides count as missing',
       'Drop its filter predicate on this table, or let it pass all rows for the user of Dibs'
  FROM (VALUES {table_names}) AS t (name)
  JOIN sys.security_predicates AS f ON f.target_object_id = object_id(N'{prefix_text}' + t.name) AND f.predicate_type = 0
  JOIN sys.security_policies AS p ON p.object_id = f.object_id AND p.is_enabled = 1
UNION ALL
SELECT 'error', 'Babelfish', 'this server ignores lock hints, so its locks for one transaction exclude nobody',
       'Use its PostgreSQL port, with the dialect postgresql'
 WHERE serverproperty('Babelfish') IS NOT NULL;

-- name: find_conditions
SELECT 0 AS is_rule, i.name, i.filter_definition AS clause
  FROM sys.indexes AS i
 WHERE i.object_id = object_id(:table) AND i.has_filter = 1
UNION ALL
SELECT 1, c.name, c.definition
  FROM sys.check_constraints AS c
 WHERE c.parent_object_id = object_id(:table) AND c.is_disabled = 0
UNION ALL
SELECT 1, f.name, quotename(c.name) + N' IS NULL'
  FROM sys.foreign_keys AS f
  JOIN sys.foreign_key_columns AS k ON k.constraint_object_id = f.object_id
  JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
 WHERE f.parent_object_id = object_id(:table) AND f.is_disabled = 0;

-- name: check_row_security
SELECT 'note' AS level, 'claims row-level security' AS subject,
       'the security policy ' + p.name + ' filters the table: rows that it hides stay open, without an error' AS message,
       'Let its filter predicate pass every row that this user shall claim' AS remedy
  FROM sys.security_predicates AS f
  JOIN sys.security_policies AS p ON p.object_id = f.object_id AND p.is_enabled = 1
 WHERE f.target_object_id = object_id(:table) AND f.predicate_type = 0;
