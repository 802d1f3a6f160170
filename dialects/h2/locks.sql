-- fragment: lock_many
-- If one name was made by somebody else meanwhile the statement fails, and H2 would keep what it has done for the others: FINAL TABLE
-- in a SELECT is not undone by itself.
transaction

-- fragment: lock_retake
yes
