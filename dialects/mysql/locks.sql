-- fragment: lock_many
-- There are no blocks here, and the transactions of many would be one only by several round trips.
one_by_one
