-- MySQL, from 8.0.19 on. It has no RETURNING, and no blocks outside of procedures. One round trip elsewhere may be up
-- to three here, each step a transaction of its own. All else is as in MariaDB.

-- fragment: base
mariadb

-- fragment: exact
-- The collation that compares code points and does not pad with blanks.
CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin

-- fragment: lock_l
FOR UPDATE OF l SKIP LOCKED

-- fragment: select_list
-- No session setting cuts off a JSON_ARRAYAGG.
SELECT
