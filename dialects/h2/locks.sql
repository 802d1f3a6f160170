-- fragment: is_old
CASE (SELECT isolation_level FROM information_schema.sessions WHERE session_id = session_id())
    WHEN 'READ COMMITTED' THEN 0 ELSE 1 END
