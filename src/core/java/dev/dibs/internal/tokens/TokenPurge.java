package dev.dibs.internal.tokens;

import dev.dibs.internal.instance.Context;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Names;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deletes old tokens in the background, at most once per interval over all nodes: the node that acquires the lock of the purge keeps it for
 * the interval.
 *
 * <p>The table grows only when a token is issued, so that requests a purge: an instance that does nothing asks the database nothing. The
 * thread starts with the first request.
 */
final class TokenPurge {

    /** Rows of a transaction: so few that the delay does not show. */
    static final long BATCH = 500;

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** The purge of one purpose. Only the thread of the rounds uses it, except for the final fields. */
    private static final class Job {
        final TokenTable table;
        volatile DatabaseTokens options;
        volatile boolean wanted;
        boolean running;
        long notBefore;
        long until;
        TokenTable.Purged last = TokenTable.Purged.NOTHING;

        Job(TokenTable table, DatabaseTokens options, long now) {
            this.table = table;
            this.options = options;
            this.notBefore = now;
        }
    }

    private final Context context;
    private final Throttle throttle;
    private final Database database;
    private final Map<String, Job> jobs = new ConcurrentHashMap<>();
    private final BackgroundLoop loop = new BackgroundLoop("dibs-tokens", this::round);

    TokenPurge(Context context, Throttle throttle) {
        this.context = context;
        this.throttle = throttle;
        this.database = context.background().get();
    }

    /** A token was issued. For any thread. */
    void want(DatabaseTokens options) {
        if (options.purgeInterval().isZero()) {
            return;
        }
        Job job = jobs.computeIfAbsent(
                options.purpose(), name -> new Job(new TokenTable(database, name), options, now()));
        if (!job.wanted) {
            job.options = options;
            job.wanted = true;
            loop.within(0);
        }
    }

    private long now() {
        return context.clock().nanos();
    }

    private long round() {
        long next = BackgroundLoop.NEVER;
        for (Job job : jobs.values()) {
            next = Math.min(next, round(job));
        }
        return next;
    }

    private long round(Job job) {
        long early = job.notBefore - now();
        if (!job.wanted || early > 0) {
            return job.wanted ? early : BackgroundLoop.NEVER;
        }
        try {
            if (job.running || begin(job)) {
                return step(job);
            }
        } catch (SqlFailure e) {
            LOG.log(Level.DEBUG, "A purge of tokens failed; the next one will do", e);
        }
        return rest(job);
    }

    private boolean begin(Job job) throws SqlFailure {
        Duration interval = job.options.purgeInterval();
        job.until = now() + interval.toNanos();
        job.last = TokenTable.Purged.NOTHING;
        job.running = throttle.take(database, Names.MAINTENANCE + job.table.purpose(), interval);
        return job.running;
    }

    /** A batch, and then a pause of the same length, so that at least half of the time is left for others. */
    private long step(Job job) throws SqlFailure {
        long start = now();
        job.last = job.table.purge(job.options.retention(), BATCH, job.last);
        long end = now();
        if (job.last.count() == 0 || job.until - end <= 0) {
            return rest(job);
        }
        job.notBefore = end + (end - start);
        return end - start;
    }

    private long rest(Job job) {
        job.running = false;
        job.wanted = false;
        job.notBefore = now() + job.options.purgeInterval().toNanos();
        return BackgroundLoop.NEVER;
    }

    /** Ends the thread after the current batch. */
    void close(Deadline deadline) {
        if (!loop.stop(deadline.millis())) {
            LOG.log(Level.DEBUG, "A purge of tokens did not end in time");
        }
    }
}
