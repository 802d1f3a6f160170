package dev.dibs.cli.database;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.cli.verb.UsageError;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A connected {@link Dibs} and its pool. */
public final class Session implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

    private final Pool pool;
    private final Dibs dibs;
    private final Target target;

    private Session(Pool pool, Target target, Consumer<DibsBuilder> settings) {
        this.pool = pool;
        this.target = target;
        DibsBuilder builder = Dibs.builder(pool);
        // Its MBeans would take longer than most commands.
        builder.jmx(false);
        settings.accept(builder);
        this.dibs = ask(builder::build);
    }

    /**
     * Connects; in the embedded database, missing tables are created.
     *
     * @throws UsageError if it cannot; the message says what to check
     */
    static Session open(Target target, int connections, Consumer<DibsBuilder> settings) {
        Pool pool = Pool.open(target, connections);
        try {
            Session session = new Session(pool, target, settings);
            if (target.embedded()) {
                session.makeMissingTables();
            }
            return session;
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private void makeMissingTables() {
        ask(() -> {
            try {
                dibs.admin().checkSchema(Capability.values());
            } catch (DatabaseFailureException e) {
                dibs.admin().createSchema();
            }
            return true;
        });
    }

    public Dibs dibs() {
        return dibs;
    }

    public DataSource dataSource() {
        return pool;
    }

    /** Sends a request that can be repeated: the embedded database's host may end before it has answered. */
    public <T> T ask(Supplier<T> question) {
        return ask(target, question);
    }

    private static <T> T ask(Target target, Supplier<T> question) {
        long start = System.nanoTime();
        while (true) {
            try {
                return question.get();
            } catch (DatabaseFailureException e) {
                boolean passing = target.embedded() && EmbeddedDataSource.isPassing(e);
                if (!passing || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw e;
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void close() {
        dibs.close();
        pool.close();
    }
}
