package dev.dibs.fault.worker;

import dev.dibs.Dibs;
import dev.dibs.NotAcquiredException;
import dev.dibs.fault.history.HistoryWriter;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;

/** One thread of a worker: its tools, and its random numbers. */
record WorkerContext(Dibs dibs, DataSource dataSource, HistoryWriter history, int thread, Random random) {

    Entry next(OperationKind kind, String name) {
        return history.next(thread, kind, name);
    }

    <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** A random time up to this. */
    Duration upTo(Duration longest) {
        return Duration.ofMillis(random.nextLong(longest.toMillis() + 1));
    }

    /** Mostly a few milliseconds, sometimes long enough for interference, rarely longer than a lease. */
    void dawdle() {
        int luck = random.nextInt(100);
        if (luck < 3) {
            sleep(upTo(Workload.LEASE.multipliedBy(3).dividedBy(2)));
        } else {
            sleep(upTo(luck < 20 ? Workload.LEASE.dividedBy(3) : Duration.ofMillis(25)));
        }
    }

    /** Records that an operation has failed, and whether because of an interrupt. */
    static void failed(Entry entry, RuntimeException e) {
        entry.value(isByInterrupt(e) ? OperationKind.INTERRUPTED : e.getMessage())
                .end(OperationState.FAIL);
    }

    /** Where a busy lock is no exception, the other one is an interrupt. */
    private static boolean isByInterrupt(RuntimeException e) {
        boolean interrupted = e instanceof NotAcquiredException;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            interrupted |= cause instanceof InterruptedException;
        }
        return interrupted;
    }

    static void sleep(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
