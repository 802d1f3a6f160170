package dev.dibs.fault.worker;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.FaultyDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** The orders for a worker, one a line. */
record Orders(HikariDataSource pool, FaultyDataSource faulty, PauseGate gate, Random random) {
    private static final System.Logger LOG = System.getLogger("faults");
    private static final int SOON = 25;

    void obey(String order) throws InterruptedException {
        String[] words = order.split(" ", -1);
        switch (words[0]) {
            case "rest" -> {
                gate.rest();
                System.out.println("RESTS " + WorkerStats.of(pool).toJson());
            }
            case "work" -> gate.goOn();
            // fail <how many> <SQL state> <vendor code>
            case "fail" -> plant(words[1], fault -> fault.fail(words[2], Integer.parseInt(words[3])));
            case "lose-answers" -> plant(words[1], FaultyDataSource.Fault::loseAnswer);
            case "lose-statements" -> plant(words[1], FaultyDataSource.Fault::loseStatement);
            // late <how many> <ms>
            case "late" -> plant(words[1], fault -> fault.delayAfter(Duration.ofMillis(Long.parseLong(words[2]))));
            case "heal" -> faulty.heal();
            case "drain" -> drainFor(Duration.ofMillis(Long.parseLong(words[1])));
            default -> System.out.println("SURPRISE no such order: " + order);
        }
    }

    /** Spoils some of the next statements, commits and rollbacks. */
    private void plant(String times, Consumer<FaultyDataSource.Fault> effect) {
        for (int i = Integer.parseInt(times); i > 0; i--) {
            effect.accept(faulty.on(sql -> true).time(random.nextInt(1, SOON)));
        }
    }

    /** All connections of the pool are in use for a while. */
    private void drainFor(Duration duration) {
        Thread drain = new Thread(() -> drain(System.nanoTime() + duration.toNanos()), "drain");
        drain.setDaemon(true);
        drain.start();
    }

    private void drain(long end) {
        List<Connection> taken = new ArrayList<>();
        while (System.nanoTime() < end) {
            try {
                if (taken.size() < pool.getMaximumPoolSize()) {
                    taken.add(pool.getConnection());
                } else {
                    WorkerContext.sleep(Duration.ofMillis(10));
                }
            } catch (SQLException e) {
                // No connection is left, or there is none at all: the pool has waited already.
                LOG.log(System.Logger.Level.DEBUG, "The pool is dry", e);
            }
        }
        taken.forEach(Orders::giveBack);
    }

    /** A connection that broke meanwhile is no loss. */
    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "It is broken", e);
        }
    }
}
