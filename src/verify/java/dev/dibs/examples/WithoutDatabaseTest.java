package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.TransactionWork;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application tests its own code with locks and leases of its own making. */
@Tag("unit")
class WithoutDatabaseTest {

    /** What is to be tested: it exports, unless another node is at it or takes over in between. */
    private record Export(Acquirable lock) {
        String run() {
            return lock.tryAcquire()
                    .map(lease -> {
                        try (lease) {
                            lease.check();
                            return "exported under " + lease.fencingToken();
                        } catch (LeaseLostException e) {
                            return "stopped";
                        }
                    })
                    .orElse("busy");
        }
    }

    @Test
    void aLockThatIsFreeBusyOrLost() {
        assertThat(new Export(new FakeLock(new FakeLease(false))).run()).isEqualTo("exported under 7");
        assertThat(new Export(new FakeLock(new FakeLease(true))).run()).isEqualTo("stopped");
        assertThat(new Export(new FakeLock(null)).run()).isEqualTo("busy");
    }

    private record FakeLock(FakeLease lease) implements Acquirable {
        @Override
        public String name() {
            return "export";
        }

        @Override
        public Acquirable leaseLength(Duration length) {
            return this;
        }

        @Override
        public Optional<Lease> tryAcquire(Duration wait) {
            return Optional.ofNullable(lease);
        }

        @Override
        public Lease acquire(Duration wait) {
            return tryAcquire(wait).orElseThrow();
        }

        @Override
        public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
            if (lease != null) {
                work.run(lease);
            }
            return lease != null;
        }

        @Override
        public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
            work.run(acquire(wait));
        }
    }

    private record FakeLease(boolean isLost) implements Lease {
        @Override
        public String name() {
            return "export";
        }

        @Override
        public long fencingToken() {
            return 7;
        }

        @Override
        public int slot() {
            return 0;
        }

        @Override
        public Optional<Takeover> takeover() {
            return Optional.empty();
        }

        @Override
        public boolean isValid() {
            return !isLost;
        }

        @Override
        public Duration remaining() {
            return isLost ? Duration.ZERO : Duration.ofSeconds(30);
        }

        @Override
        public void check() {
            if (isLost) {
                throw new LeaseLostException("export", 7, "the test wants it so");
            }
        }

        @Override
        public void onLost(Consumer<? super LeaseLostException> callback) {
            // Nothing is lost later.
        }

        @Override
        public void guard(Connection connection) {
            check();
        }

        @Override
        public <X extends Exception> void inTransaction(DataSource dataSource, TransactionWork<X> work) throws X {
            check();
        }

        @Override
        public void close() {
            // It has nothing to give back.
        }
    }
}
