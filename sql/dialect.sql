-- Short expressions that differ between databases. A dialect's own dialect.sql defines at least {now}. {nothing} is an
-- empty text: the blank before it goes, too.

-- fragment: now_micros
-- The database's clock in microseconds, for fences.
({now} * 1000)

-- fragment: now_once
-- The clock, read once for all rows of a statement. It may stand still within a transaction, so only statements that
-- are a transaction of their own use it.
{now}

-- fragment: array_type
-- The element type of a list of names, for JDBC's createArrayOf.
varchar

-- fragment: quote
-- The quotation mark of this database for a name that standard SQL would quote as "order".
"

-- fragment: first_n
-- The end of a query for :n rows at most.
FETCH FIRST :n ROWS ONLY

-- fragment: first_row
-- The end of a query for one row.
FETCH FIRST 1 ROW ONLY

-- fragment: exact_text
-- The type of such a text.
varchar

-- fragment: exact
-- In the types of tables: a text that is compared exactly, case, blanks and all.
{nothing}

-- fragment: prose
-- A text for people.
{nothing}

-- fragment: digest_type
-- 32 bytes.
binary(32)

-- fragment: engine
-- The end of each CREATE TABLE.
{nothing}

-- fragment: free_space
-- The very end, for tables whose rows are updated again and again.
{nothing}
