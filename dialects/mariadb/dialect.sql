-- MariaDB, from 10.6 on (SKIP LOCKED, JSON_TABLE).

-- fragment: now
-- UTC_TIMESTAMP is read when a statement starts and moves on within a transaction. It does not depend on a time zone.
(timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)

-- fragment: now_micros
timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))

-- fragment: exact
-- The collation that compares code points and does not pad with blanks.
CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin

-- fragment: prose
{exact}

-- fragment: engine
ENGINE = InnoDB

-- fragment: lock_l
-- The locking clause of a SELECT that joins the table, as l, to a row source that is no table.
FOR UPDATE SKIP LOCKED

-- fragment: select_list
-- Begins a SELECT of a JSON_ARRAYAGG, which would be cut off at group_concat_max_len.
SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT

-- fragment: first_n
-- MySQL has no FETCH FIRST.
LIMIT :n

-- fragment: first_row
LIMIT 1

-- fragment: quote
`

-- fragment: begin
-- In a block: begins a transaction of its own, which is rolled back if anything fails. READ COMMITTED is for it alone
-- and locks no gaps between rows.
DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION
