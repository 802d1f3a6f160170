-- fragment: lock_retake
-- Its one statement would tell of locks that were not taken: see renew_leases.
no
