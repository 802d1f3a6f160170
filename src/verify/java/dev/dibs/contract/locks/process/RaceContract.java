package dev.dibs.contract.locks.process;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.ThreadLock;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Ledger;
import dev.dibs.database.FullRun;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Promise 1 and 2 under contention. */
@Tag("race")
class RaceContract extends Fixture {

    /** How a turn is taken. */
    private enum Turn {
        UNGUARDED,
        FAIR,
        GUARDED,
        /** By a lock of java.util.concurrent. */
        THREAD_LOCK
    }

    @ParameterizedTest
    @EnumSource
    @FullRun(except = "postgresql")
    void eightThreadsTakeTurns(Turn turn) throws Exception {
        String name = fresh("race");
        Ledger ledger = new Ledger("ledger_" + COUNT.incrementAndGet());
        ledger.make(pool());
        int each = 8;
        List<Dibs> instances = List.of(dibs(), dibs(), dibs(), dibs());
        inThreads(8, number -> {
            NamedLock lock = instances.get(number % instances.size()).lock(name);
            for (int i = 0; i < each; i++) {
                take(turn, lock, ledger);
            }
        });
        ledger.check(pool(), 8 * each);
        ledger.drop(pool());
        assertThat(sql().numbers("SELECT count(*) FROM dibs_ticket WHERE name = ?", name))
                .as("places that are left")
                .containsExactly(0L);
    }

    private void take(Turn turn, NamedLock lock, Ledger ledger) throws SQLException {
        if (turn == Turn.THREAD_LOCK) {
            ThreadLock threadLock = lock.asLock();
            threadLock.lock();
            try {
                ledger.write(pool(), threadLock.lease().orElseThrow().fencingToken());
            } finally {
                threadLock.unlock();
            }
        } else {
            try (Lease lease = (turn == Turn.FAIR ? lock.fair() : lock).acquire(Duration.ofSeconds(60))) {
                if (turn == Turn.GUARDED) {
                    lease.inTransaction(pool(), tx -> ledger.write(tx, lease.fencingToken()));
                } else {
                    ledger.write(pool(), lease.fencingToken());
                }
            }
        }
    }

    @Test
    void everyoneIsFirstOnManyNewNames() throws Exception {
        String kind = fresh("new");
        int names = 40;
        AtomicInteger wins = new AtomicInteger();
        List<Long> fences = Collections.synchronizedList(new ArrayList<>());
        List<Lease> held = Collections.synchronizedList(new ArrayList<>());
        Dibs dibs = dibs();
        inThreads(8, number -> {
            for (int i = 0; i < names; i++) {
                dibs.lock(kind, i).tryAcquire().ifPresent(lease -> {
                    wins.incrementAndGet();
                    fences.add(lease.fencingToken());
                    held.add(lease);
                });
            }
        });
        assertThat(wins).hasValue(names);
        held.forEach(Lease::check);
    }

    @Test
    void staleHoldersThatWakeUpLateDisturbNobody() throws Exception {
        String name = fresh("abandoned");
        List<Long> fences = Collections.synchronizedList(new ArrayList<>());
        inThreads(6, number -> {
            try (Dibs dibs = dibs()) {
                for (int i = 0; i < 8; i++) {
                    Lease lease = dibs.lock(name).acquire(Duration.ofSeconds(60));
                    fences.add(lease.fencingToken());
                    if (i % 2 == 0) {
                        letItPass(lease);
                        Thread.sleep(3);
                    }
                    lease.close();
                }
            }
        });
        assertThat(new HashSet<>(fences)).as("no fence twice").hasSize(6 * 8);
    }

    /** Lets the lease expire without its holder's knowledge. */
    private void letItPass(Lease lease) throws SQLException {
        assertThat(sql().change(
                                "UPDATE dibs_lock SET held_until = held_until - 3600000 WHERE name = ? AND fence = ?",
                                lease.name(),
                                lease.fencingToken()))
                .isEqualTo(1);
    }
}
