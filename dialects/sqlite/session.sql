-- name: find_lock_wait
SELECT timeout AS lock_wait FROM pragma_busy_timeout;

-- name: limit_lock_wait
PRAGMA busy_timeout = {lock_wait};
