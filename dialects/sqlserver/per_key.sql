-- rows_per_key has no hint: a row that is being completed may stay the first of its group after all. So claims per key
-- need READ_COMMITTED_SNAPSHOT. Without it, they wait for rows that others are changing, two workers can wait for each
-- other, and a scan may miss a row that moves in its index. The other hints are those of claims.sql.

-- fragment: group_value
cast(:group# AS {type})

-- fragment: group_value_binary
:group#

-- fragment: key_type_whole
-- Without the word identity.
bigint

-- fragment: key_type_text
-- A national text would keep the index of a varchar from being used.
{type}({size})

-- fragment: key_type_char
{type}({size})

-- fragment: key_type_decimal
decimal({size}, {scale})

-- fragment: token_name
DECLARE @token varchar(32) = :token

-- fragment: side_not_dead
isnull((SELECT c.token
          FROM {prefix}claim AS c
         WHERE c.scope = @scope AND c.row_key = {t_row_key}), '') <> 'dibs-dead'

-- name: ends_of_groups
SELECT {group_texts} FROM (SELECT TOP (1) * FROM {table} AS t WHERE {where} AND {known} ORDER BY {t_groups}) AS t
 UNION ALL
SELECT {group_texts} FROM (SELECT TOP (1) * FROM {table} AS t WHERE {where} AND {known} ORDER BY {t_groups_back}) AS t;

-- name: unfit_columns
-- A text in another code page than the database's loses letters as a value of a group.
SELECT name, type_name(user_type_id) AS type_name
  FROM sys.columns
 WHERE object_id = object_id(:table)
   AND (max_length = -1
        OR type_name(user_type_id) = 'sysname'
        OR (type_name(system_type_id) IN ('char', 'varchar')
            AND collationproperty(collation_name, 'CodePage')
                <> collationproperty(convert(nvarchar(128), databasepropertyex(db_name(), 'Collation')), 'CodePage')));

-- name: rows_per_key
{group_names};
SELECT {key_texts}, {group_texts}, CASE WHEN {free} THEN 1 ELSE 0 END AS dibs_free,
       row_number() OVER (PARTITION BY {t_groups} ORDER BY {order}{ties}) AS dibs_place
  FROM (SELECT TOP (:n) {keys_as}
          FROM {table} AS t
         WHERE {where} AND {alive} AND {after}
         ORDER BY {t_groups}{then_order}) AS k
 INNER LOOP JOIN {table} AS t ON {same_key}
 ORDER BY {t_groups}, dibs_place;

-- name: claim_per_key
{token_name};
{asked_keys};
{done_keys};
UPDATE t
   SET {mark}
OUTPUT {inserted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {free} AND {where} AND {once};
{marked_rows};

-- name: side_per_key
{side_names};
{asked_keys};
DECLARE @pick TABLE (dibs_row nvarchar(400) {exact} NOT NULL);
INSERT INTO @pick (dibs_row)
SELECT {t_row_key} AS dibs_row
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {where} AND {free} AND {once};
{side_write}
-- then
{side_names};
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM {prefix}claim WITH (NOLOCK)
 WHERE scope = @scope AND token = @token;
