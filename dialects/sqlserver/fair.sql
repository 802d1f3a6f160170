-- fragment: ticket_row_key
{reader_row_key}

-- fragment: ticket_row_columns
{reader_row_columns}

-- fragment: ticket_l_is_expired
{reader_l_is_expired}

-- name: acquire_ticket
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
DECLARE @made TABLE (number bigint NOT NULL);
INSERT INTO {prefix}ticket (name_key, name, {lease_columns})
OUTPUT inserted.fence INTO @made (number)
VALUES (@name + N'.', @name, @owner, @holder, @micros, @now, @now + @lease);
SET @micros = (SELECT number FROM @made);
DELETE FROM @made;
SELECT @name AS name, @owner AS owner, @holder AS holder, @micros AS fence, @now AS acquired_at, @now + @lease AS held_until,
       {now} AS read_at;

-- name: look_turn
DECLARE @name nvarchar(200) = :name, @number bigint = :number, @owner varchar(32) = :owner;
SELECT 0 AS ahead, name, {lease_columns}, {now} AS read_at
  FROM {prefix}lock WITH (NOLOCK)
 WHERE name_key = @name + N'.' AND held_until > {now}
UNION ALL
SELECT 1 AS ahead, name, {lease_columns}, {now}
  FROM {prefix}ticket WITH (NOLOCK)
 WHERE name_key = @name + N'.' AND held_until > {now}
   AND (fence < @number OR (fence = @number AND owner < @owner));
