package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that takes a lock again as soon as it has released it. */
@Tag("contract")
@UsesDatabase(H2Database.class)
class QuickHolderTest {

    private static final Pattern WRITES = Pattern.compile("\\b(INSERT|UPDATE|DELETE|MERGE)\\b");

    /** Holds a lock, but not while a single statement of a waiter runs. After a look it is back before the next statement. */
    private static final class QuickHolder {
        private final NamedLock lock;
        private Lease held;
        private boolean wasSeen;

        QuickHolder(NamedLock lock) {
            this.lock = lock;
            this.held = lock.tryAcquire().orElseThrow();
        }

        Void beforeALook() {
            held.close();
            wasSeen = true;
            return null;
        }

        Void beforeAnAcquire() {
            if (wasSeen) {
                held = lock.tryAcquire().orElseThrow();
                wasSeen = false;
            } else {
                held.close();
            }
            return null;
        }
    }

    @Test
    void aWaiterThatLookedInVainAsksWithoutALook(TestDatabase database) {
        FaultyDataSource waiting = new FaultyDataSource(database.dataSource());
        try (Dibs holding = Dibs.on(database.dataSource());
                Dibs dibs = Dibs.on(waiting)) {
            holding.admin().createSchema(Capability.LOCKS);
            QuickHolder holder = new QuickHolder(holding.lock("quick"));
            assertThat(dibs.lock("quick").tryAcquire()).isEmpty();
            waiting.on(sql -> sql.contains("dibs_lock") && !WRITES.matcher(sql).find())
                    .always()
                    .actBefore(holder::beforeALook);
            waiting.on(sql -> sql.contains("dibs_lock") && WRITES.matcher(sql).find())
                    .always()
                    .actBefore(holder::beforeAnAcquire);
            try (Lease lease = dibs.lock("quick").acquire(Duration.ofSeconds(30))) {
                lease.check();
                waiting.heal();
            }
        }
    }
}
