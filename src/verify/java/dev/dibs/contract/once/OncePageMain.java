package dev.dibs.contract.once;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.LeaseLostException;
import dev.dibs.once.OnceOutcome;
import dev.dibs.process.ChildPool;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** One of several processes whose page views each check whether the work is due. */
public final class OncePageMain {

    private static final int THREADS = 8;

    private OncePageMain() {}

    /** Arguments: url, user, password, name, period in ms, page views, pause between them in a thread, duration of the work. */
    public static void main(String[] args) throws Exception {
        Duration period = Duration.ofMillis(Long.parseLong(args[4]));
        int views = Integer.parseInt(args[5]) / THREADS;
        try (HikariDataSource pool = ChildPool.open(args, THREADS);
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.ofSeconds(2)).build()) {
            dibs.admin().onces();
            System.out.println("READY");
            if (System.in.read() < 0) {
                return;
            }
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger viewed = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Callable<Void>> visitors = Collections.nCopies(THREADS, () -> {
                for (int view = 0; view < views; view++) {
                    try {
                        OnceOutcome outcome = dibs.once(args[3]).every(period).tryRun(lease -> {
                            System.out.println("RUN " + lease.fencingToken());
                            Thread.sleep(Long.parseLong(args[7]));
                        });
                        if (outcome == OnceOutcome.RAN) {
                            ran.incrementAndGet();
                        }
                    } catch (DatabaseFailureException | LeaseLostException e) {
                        // The machine stood still for longer than the lease.
                        System.out.println("LOST " + e);
                    }
                    viewed.incrementAndGet();
                    Thread.sleep(Long.parseLong(args[6]));
                }
                return null;
            });
            for (Future<Void> visitor : threads.invokeAll(visitors)) {
                visitor.get();
            }
            threads.shutdown();
            System.out.println("VIEWED " + viewed.get() + " RAN " + ran.get());
        }
    }
}
