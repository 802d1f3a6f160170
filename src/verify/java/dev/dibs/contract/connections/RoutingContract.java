package dev.dibs.contract.connections;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A data source that chooses a database by the calling thread. With batching(false) each call goes to its caller's. */
class RoutingContract extends ContractFixture {

    /** Fewer than send at once, so that callers queue if they may. */
    private static final int CONNECTIONS = 3;

    private static final int CALLERS = 16;

    /** Two schemas with the tables of Dibs, and a data source that chooses one by the thread's name. */
    private final class TenantRoutingDataSource extends AbstractDataSource implements AutoCloseable {

        private final Map<String, HikariDataSource> pools = new LinkedHashMap<>();

        TenantRoutingDataSource() throws SQLException {
            try (Connection connection = pool().getConnection()) {
                for (String tenant : List.of("one", "two")) {
                    String schema = prefix() + tenant;
                    run(connection, "CREATE SCHEMA " + schema);
                    HikariDataSource pool = database().pool(config -> {
                        config.setMaximumPoolSize(CONNECTIONS);
                        database().useSchema(config, schema);
                    });
                    pools.put(tenant, pool);
                    try (Dibs dibs = dibs(pool)) {
                        dibs.admin().createSchema();
                    }
                }
            }
        }

        @Override
        public Connection getConnection() throws SQLException {
            HikariDataSource tenant = pools.get(Thread.currentThread().getName());
            if (tenant == null) {
                throw new IllegalStateException("this thread has no tenant");
            }
            return tenant.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        /** On a thread of this tenant. */
        <T> FutureTask<T> as(String tenant, Callable<T> call) {
            FutureTask<T> task = new FutureTask<>(call);
            new Thread(task, tenant).start();
            return task;
        }

        List<String> locks(String tenant) {
            try (Dibs dibs = dibs(pools.get(tenant))) {
                return dibs.admin().locks().stream().map(LeaseInfo::name).toList();
            }
        }

        @Override
        public void close() {
            pools.values().forEach(HikariDataSource::close);
        }
    }

    /** Both have the same names at once; from the second round on the instance has released them before, in both. */
    @FullTest(except = {"postgresql", "h2"})
    void eachCallGoesToTheTenantOfItsThread() throws Exception {
        assumeTrue(database().has(Trait.CHOOSES_SCHEMAS), "a pool does not choose the schema");
        List<String> names = fresh("routed", CALLERS);
        TenantRoutingDataSource tenants = closing(new TenantRoutingDataSource());
        Dibs dibs =
                closing(tenants.as("one", () -> builder(tenants).batching(false).build())
                        .get());
        for (int round = 0; round < 3; round++) {
            CyclicBarrier allAtOnce = new CyclicBarrier(2 * CALLERS);
            Map<Lease, String> held = new LinkedHashMap<>();
            List<FutureTask<Map.Entry<Lease, String>>> calls = new ArrayList<>();
            for (String name : names) {
                for (String tenant : tenants.pools.keySet()) {
                    calls.add(tenants.as(tenant, () -> {
                        allAtOnce.await();
                        return Map.entry(dibs.lock(name).tryAcquire().orElseThrow(), tenant);
                    }));
                }
            }
            for (FutureTask<Map.Entry<Lease, String>> call : calls) {
                held.put(call.get().getKey(), call.get().getValue());
            }
            for (String tenant : tenants.pools.keySet()) {
                assertThat(tenants.locks(tenant)).as(tenant).containsExactlyInAnyOrderElementsOf(names);
            }
            List<FutureTask<Boolean>> closed = new ArrayList<>();
            held.forEach((lease, tenant) -> closed.add(tenants.as(tenant, () -> {
                allAtOnce.await();
                lease.close();
                return true;
            })));
            for (FutureTask<Boolean> one : closed) {
                one.get();
            }
            for (String tenant : tenants.pools.keySet()) {
                assertThat(tenants.locks(tenant)).as(tenant).isEmpty();
            }
        }
    }

    @FullTest(except = "postgresql")
    void aTokenIsKnownToItsTenantAlone() throws Exception {
        assumeTrue(database().has(Trait.CHOOSES_SCHEMAS), "a pool does not choose the schema");
        TenantRoutingDataSource tenants = closing(new TenantRoutingDataSource());
        Dibs dibs =
                closing(tenants.as("one", () -> builder(tenants).batching(false).build())
                        .get());
        OneTimeTokens tokens = dibs.tokens("routed").purgeEvery(Duration.ZERO);
        List<String> issued = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            issued.add(tenants.as("one", () -> tokens.issue("somebody", LONG)).get());
        }
        for (String tenant : List.of("two", "one")) {
            List<FutureTask<TokenStatus>> uses = issued.stream()
                    .map(token -> tenants.as(tenant, () -> tokens.consume(token).status()))
                    .toList();
            for (FutureTask<TokenStatus> use : uses) {
                assertThat(use.get()).isEqualTo(tenant.equals("one") ? TokenStatus.OK : TokenStatus.UNKNOWN);
            }
        }
    }

    @FullTest(except = "postgresql")
    void theDoctorTellsOfARoutingDataSource() throws Exception {
        assumeTrue(database().has(Trait.CHOOSES_SCHEMAS), "a pool does not choose the schema");
        TenantRoutingDataSource tenants = closing(new TenantRoutingDataSource());
        for (boolean batching : new boolean[] {true, false}) {
            List<Finding> findings = tenants.as("one", () -> {
                        try (Dibs dibs = builder(tenants).batching(batching).build()) {
                            return dibs.admin().doctor();
                        }
                    })
                    .get();
            assertThat(findings)
                    .filteredOn(finding -> finding.subject().equals("routing"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.level()).isEqualTo(batching ? Finding.Level.WARNING : Finding.Level.NOTE);
                        assertThat(finding.message())
                                .contains("TenantRoutingDataSource chooses a database for each thread");
                    });
        }
        assertThat(here().admin().doctor()).extracting(Finding::subject).doesNotContain("routing");
    }
}
