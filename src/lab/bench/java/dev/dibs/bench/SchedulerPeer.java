package dev.dibs.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** db-scheduler on PostgreSQL, which claims a configured number of executions at once and removes each when it is done. */
record SchedulerPeer(DataSource dataSource, int threads, Polling polling) {
    private static final String TASK = "nothing";

    /** By its documentation for PostgreSQL. */
    private static final String TABLE = """
            CREATE TABLE scheduled_tasks (
              task_name text NOT NULL,
              task_instance text NOT NULL,
              task_data bytea,
              execution_time timestamp with time zone NOT NULL,
              picked boolean NOT NULL,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint NOT NULL,
              priority smallint,
              PRIMARY KEY (task_name, task_instance));
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            CREATE INDEX priority_execution_time_idx ON scheduled_tasks (priority DESC, execution_time ASC);
            """;

    /** How it finds due executions. */
    enum Polling {
        /** One statement locks and picks many. */
        LOCK_AND_FETCH,
        /** One statement reads many, and each is picked by a statement of its own. */
        FETCH
    }

    /** Adds executions that are all due. */
    void fill(int rows) throws SQLException {
        run("DROP TABLE IF EXISTS scheduled_tasks");
        run(TABLE);
        run("INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
                + " SELECT '" + TASK + "', 'job ' || n, now() - interval '1 minute', false, 1"
                + " FROM generate_series(1, " + rows + ") AS n");
        run("VACUUM ANALYZE scheduled_tasks");
    }

    /**
     * Processes all of them.
     *
     * @param batch how many executions it fetches for each thread
     * @return the seconds from the start until the last one was processed; its removal is not waited for
     */
    double run(int rows, int batch) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(rows);
        OneTimeTask<Void> task = Tasks.oneTime(TASK).execute((instance, context) -> left.countDown());
        SchedulerBuilder builder =
                Scheduler.create(dataSource, task).threads(threads).pollingInterval(Duration.ofSeconds(1));
        if (polling == Polling.LOCK_AND_FETCH) {
            builder.pollUsingLockAndFetch(batch * 0.5, batch);
        } else {
            builder.pollUsingFetch(batch * 0.5, batch);
        }
        Scheduler scheduler = builder.build();
        long start = System.nanoTime();
        scheduler.start();
        left.await();
        double seconds = (System.nanoTime() - start) / 1e9;
        scheduler.stop();
        return seconds;
    }

    private void run(String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }
}
