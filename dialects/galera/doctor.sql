-- fragment: cluster_node
SELECT 'note', 'galera', 'a node of a cluster: what collides with another node''s change is rolled back at the commit (1213)',
       'Run such a transaction again. Each node has a clock of its own: see clockTolerance'
