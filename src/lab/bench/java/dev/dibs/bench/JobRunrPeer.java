package dev.dibs.bench;

import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.gson.GsonJsonMapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JobRunr on PostgreSQL: it has no size of a batch to choose, and writes each job as a document, anew at each step. Public, since it calls
 * a job's method by its name.
 */
public final class JobRunrPeer {

    private static final Logger LOG = LoggerFactory.getLogger(JobRunrPeer.class);
    /** A job is a call of a static method, so this must be static, too. */
    private static volatile CountDownLatch left = new CountDownLatch(0);

    private static final long MOST_SECONDS = 600;

    private final DataSource dataSource;
    private final int threads;
    private StorageProvider storage;

    JobRunrPeer(DataSource dataSource, int threads) {
        this.dataSource = dataSource;
        this.threads = threads;
    }

    /** The work that does nothing. */
    public static void work(Integer job) {
        LOG.trace("{}", job);
        left.countDown();
    }

    /** Adds jobs that are all due. */
    void fill(int rows) throws SQLException {
        drop();
        storage = SqlStorageProviderFactory.using(dataSource);
        JobScheduler scheduler = JobRunr.configure()
                .useJsonMapper(new GsonJsonMapper())
                .useStorageProvider(storage)
                .initialize()
                .getJobScheduler();
        scheduler.enqueue(IntStream.range(0, rows).boxed(), job -> work(job));
        run("VACUUM ANALYZE jobrunr_jobs");
        left = new CountDownLatch(rows);
    }

    /** Processes all of them; returns the seconds from the start until the last one was processed. */
    double run() throws InterruptedException {
        long start = System.nanoTime();
        JobRunr.configure()
                .useJsonMapper(new GsonJsonMapper())
                .useStorageProvider(storage)
                .useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andPollIntervalInSeconds(5)
                        .andWorkerCount(threads))
                .initialize();
        if (!left.await(MOST_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(left.getCount() + " jobs were not done; the figures would mean nothing");
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        JobRunr.getBackgroundJobServer().stop();
        return seconds;
    }

    private void drop() throws SQLException {
        run("DROP VIEW IF EXISTS jobrunr_jobs_stats");
        for (String table : new String[] {"jobs", "recurring_jobs", "backgroundjobservers", "metadata", "migrations"}) {
            run("DROP TABLE IF EXISTS jobrunr_" + table);
        }
    }

    private void run(String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }
}
