package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.QueryExp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The events of a listener and the statistics over JMX. */
@Tag("contract")
class EventContract extends Fixture {

    /** Records its events. */
    static final class Diary implements DibsListener {
        final List<String> entries = new CopyOnWriteArrayList<>();

        @Override
        public void acquired(Lease lease) {
            entries.add("acquired " + lease.name());
        }

        @Override
        public void busy(String name, Optional<LeaseInfo> holder) {
            entries.add("busy " + name + " " + holder.map(LeaseInfo::holder).orElse("?"));
        }

        @Override
        public void takeover(Lease lease, Takeover takeover) {
            entries.add("takeover " + lease.name() + " from " + takeover.from().holder());
        }

        @Override
        public void lost(Lease lease, LeaseLostException reason) {
            entries.add("lost " + lease.name());
        }

        @Override
        public void renewalFailed(int leases, Exception cause) {
            entries.add("renewalFailed " + leases);
            throw new IllegalStateException("a listener's mistake is its own");
        }

        @Override
        public void released(Lease lease) {
            entries.add("released " + lease.name());
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aListenerHearsEachEvent() throws Exception {
        String name = fresh("events");
        Diary here = new Diary();
        Diary there = new Diary();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs first = builder(faulty)
                        .holder("first")
                        .leaseLength(RENEWED)
                        .listener(here)
                        .build();
                Dibs second = builder(pool()).holder("second").listener(there).build()) {
            first.lock(name).tryAcquire().orElseThrow().close();
            Lease lease = first.lock(name).tryAcquire().orElseThrow();
            second.lock(name).tryAcquire();
            faulty.on(sql -> true).always().fail("08006", 0);
            await().until(() -> here.entries.contains("renewalFailed 1"));
            letItPass(name);
            Lease successor = second.lock(name).acquire(Duration.ofSeconds(30));
            faulty.heal();
            await().until(() -> here.entries.contains("lost " + name));
            lease.close();
            successor.close();
            assertThat(here.entries)
                    .startsWith("acquired " + name, "released " + name, "acquired " + name)
                    .contains("renewalFailed 1");
            assertThat(there.entries)
                    .containsExactly(
                            "busy " + name + " first",
                            "acquired " + name,
                            "takeover " + name + " from first",
                            "released " + name);
        }
    }

    private void letItPass(String name) throws SQLException {
        assertThat(sql().change("UPDATE dibs_lock SET held_until = held_until - 3600000 WHERE name = '" + name + "'"))
                .isEqualTo(1);
    }

    @Test
    void jmxShowsTheSameStatistics() throws Exception {
        String name = fresh("jmx");
        String holder = fresh("jmx holder");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = null;
        try (Dibs dibs = builder(pool()).holder(holder).build()) {
            Lease held = dibs.lock(name, 1).tryAcquire().orElseThrow();
            dibs.lock(name, 1).tryAcquire();
            dibs.lock(name, 2).tryAcquire().orElseThrow().close();
            // Filtered by the server: the instance of another test may end between the list and a look at it.
            QueryExp ours = Query.eq(Query.attr("Holder"), Query.value(holder));
            Set<ObjectName> beans = server.queryNames(new ObjectName("dev.dibs:type=Dibs,*"), ours);
            assertThat(beans).hasSize(1);
            bean = beans.iterator().next();
            assertThat(server.getAttribute(bean, "Held")).isEqualTo(1);
            assertThat(server.getAttribute(bean, "Acquired")).isEqualTo(2L);
            assertThat(server.getAttribute(bean, "Busy")).isEqualTo(1L);
            assertThat(server.getAttribute(bean, "Released")).isEqualTo(1L);
            assertThat(server.getAttribute(bean, "Lost")).isEqualTo(0L);
            assertThat(server.getAttribute(bean, "Dialect"))
                    .isEqualTo(dibs.dialect().name());
            held.close();
        }
        assertThat(server.isRegistered(bean)).isFalse();
    }
}
