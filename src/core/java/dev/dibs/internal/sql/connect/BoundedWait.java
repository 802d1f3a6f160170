package dev.dibs.internal.sql.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a pool's connection in slices, since JDBC has no timed {@code getConnection}.
 *
 * <p>When a slice is over, the request stays in the pool's queue, and the next call waits for the same one. To leave the queue would starve
 * a heartbeat when the pool is busy. A connection that arrives between two calls, and is not fetched soon, returns to the pool. A request
 * that hangs for very long is given up: a connect without a login timeout to a machine that vanished.
 *
 * <p>For one thread at a time, except {@link #close}, which any thread may call.
 */
final class BoundedWait implements Connections.Source {

    private static final Duration SLICE = Duration.ofSeconds(1);
    private static final Duration HUNG = Duration.ofSeconds(30);

    /** Longer than the pause of any caller that will call again. */
    private static final long UNFETCHED_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private final DataSource dataSource;
    private final Executor threads;

    /** The thread that removes a request from here owns its connection. */
    private final AtomicReference<@Nullable Request> open = new AtomicReference<>();

    private record Request(CompletableFuture<Connection> connection, long since, AtomicBoolean isWatched) {}

    BoundedWait(DataSource dataSource, Executor threads) {
        this.dataSource = dataSource;
        this.threads = threads;
    }

    @Override
    public Connection get() throws SQLException {
        Request request = request();
        try {
            Connection connection = request.connection().get(SLICE.toMillis(), TimeUnit.MILLISECONDS);
            if (!open.compareAndSet(request, null)) {
                throw new SQLException("the request for a connection was given up");
            }
            return connection;
        } catch (TimeoutException e) {
            watch(request);
            throw new SQLTimeoutException("the pool gave no connection within " + SLICE.toMillis() + " ms", "HYT00", e);
        } catch (ExecutionException e) {
            open.compareAndSet(request, null);
            throw e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getCause());
        } catch (InterruptedException e) {
            watch(request);
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for a connection", e);
        }
    }

    private Request request() {
        Request request = open.get();
        if (request != null && System.nanoTime() - request.since() > HUNG.toNanos()) {
            giveUp(request);
            request = null;
        }
        return request == null ? ask() : request;
    }

    private Request ask() {
        Request request = new Request(
                CompletableFuture.supplyAsync(this::connect, threads), System.nanoTime(), new AtomicBoolean());
        open.set(request);
        return request;
    }

    /**
     * A late connection returns to the pool if no call fetches it. The JDK's timer is not used for that, because its thread would keep our
     * class loader for ever.
     */
    private void watch(Request request) {
        if (request.isWatched().compareAndSet(false, true)) {
            CompletableFuture<Void> unused = request.connection()
                    .thenAcceptAsync(
                            connection -> {
                                LockSupport.parkNanos(UNFETCHED_NANOS);
                                giveUp(request);
                            },
                            threads);
        }
    }

    private Connection connect() {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    /** Gives up the open request; if its connection still arrives, it returns to the pool at once. */
    @Override
    public void close() {
        Request request = open.get();
        if (request != null) {
            giveUp(request);
        }
    }

    private void giveUp(Request request) {
        if (open.compareAndSet(request, null)) {
            CompletableFuture<Void> unused = request.connection()
                    .thenAccept(late -> ConnectionCleanup.quietly("return a late connection", late::close));
        }
    }
}
