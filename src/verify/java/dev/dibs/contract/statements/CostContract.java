package dev.dibs.contract.statements;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Promise 6 and the cost: how many statements each operation takes, and that none of them fails. */
class CostContract extends ContractFixture {
    /** Without the purge, which follows a new name at some time; MySQL's has a step before its DELETE. */
    private static List<String> sent(CountingDataSource counting) {
        return counting.statements().stream()
                .filter(sql -> sql.contains("dibs_ticket") || ANY.test(sql))
                .toList();
    }

    /** The question which engine it is comes with the one about its settings. */
    @Test
    void theStartTakesOneStatement() {
        builder(counting()).build().close();
        assertThat(counting().statements()).hasSize(1);
    }

    @Test
    void statementsPerOperation() {
        String name = fresh("cost");
        Dibs dibs = dibs(counting());
        here().lock(name).tryAcquire().orElseThrow().close();
        dibs.lock(fresh("warm")).tryAcquire().orElseThrow().close();
        // The first list asks which tables exist.
        dibs.admin().locks();
        await("the end of the purge")
                .until(() -> counting().statements().stream().anyMatch(ANY.negate())
                        && counting().openConnections() == 0);
        counting().reset();

        Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
        assertThat(sent(counting())).as("acquire").hasSize(database().price()[0]);
        counting().reset();
        lease.close();
        assertThat(sent(counting())).as("release").hasSize(1);
        counting().reset();

        String taken = fresh("taken");
        try (Lease busy = here().lock(taken).tryAcquire().orElseThrow()) {
            assertThat(busy.isValid()).isTrue();
            assertThat(dibs.lock(taken).tryAcquire()).isEmpty();
            assertThat(sent(counting())).as("busy").hasSize(1);
        }
        counting().reset();
        dibs.lock(taken).fair().tryAcquire().orElseThrow().close();
        assertThat(sent(counting()))
                .as("fair: a look, and as above")
                .hasSize(1 + database().price()[0] + 1);
        counting().reset();
        dibs.admin().locks();
        assertThat(sent(counting())).as("locks").hasSize(1);
        assertThat(counting().commits() + counting().rollbacks() + counting().autoCommitChanges())
                .isZero();
    }

    @Test
    void aNewName() {
        Dibs dibs = dibs(counting());
        assertThat(dibs.lock(fresh("first")).tryAcquire()).isPresent();
        await().pollDelay(Duration.ofMillis(200)).until(() -> true);
        counting().reset();
        Lease lease = dibs.lock(fresh("new")).tryAcquire().orElseThrow();
        assertThat(sent(counting())).hasSize(database().price()[1]);
        assertThat(lease.isValid()).isTrue();
    }

    @FullTest(except = "postgresql")
    void manyLeasesAreRenewedInOneStatement() {
        String kind = fresh("many");
        Dibs dibs = closing(oftenRenewed(counting()).build());
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            leases.add(dibs.lock(kind, i).tryAcquire().orElseThrow());
        }
        counting().reset();
        Map<String, Instant> before = ends(there(), kind);
        assertThat(before).hasSize(60);
        await().until(() -> ends(there(), kind).entrySet().stream()
                .allMatch(end -> end.getValue().isAfter(before.get(end.getKey()))));
        // The leases may be renewed in some groups until one statement renews them all.
        assertThat(sent(counting()).size())
                .isBetween(database().price()[2], 12 * database().price()[2]);
        leases.forEach(Lease::check);
    }

    /** When the leases of a kind end unless they are renewed. */
    private static Map<String, Instant> ends(Dibs dibs, String kind) {
        return dibs.admin().locks().stream()
                .filter(lock -> lock.name().startsWith(kind + ":"))
                .collect(Collectors.toMap(LeaseInfo::name, LeaseInfo::until));
    }

    @FullTest(except = "postgresql")
    void nothingHeldNothingAsked() {
        Dibs dibs =
                closing(builder(counting()).leaseLength(Duration.ofMillis(300)).build());
        dibs.lock(fresh("idle")).acquire(Duration.ofSeconds(30)).close();
        // The purge that follows a new name may come late.
        await().until(() -> {
            counting().reset();
            Thread.sleep(1000);
            return counting().statements().isEmpty();
        });
    }

    /** On MariaDB and MySQL a transaction of several statements begins with its isolation. */
    private static List<String> withoutSettings(CountingDataSource counting) {
        return counting.statements().stream()
                .filter(text -> !text.startsWith("SET TRANSACTION"))
                .toList();
    }

    /** Once a minute a claim that finds too few rows looks for free ones, which a trigger may have kept as they were. */
    @Test
    void aSearchWithoutFreeRowsEndsAtOnce() throws Exception {
        CountingDataSource counting = new CountingDataSource(pool());
        JumpingClock clock = new JumpingClock();
        RowClaims<RowKey> claims =
                jobs(0).claims(closing(clock.by(builder(counting)).build())).build();
        assertThat(claims.claim(2).keys()).isEmpty();
        counting.reset();
        assertThat(claims.claim(2).keys()).isEmpty();
        int plain = withoutSettings(counting).size();
        counting.reset();
        clock.jump(Duration.ofSeconds(61));
        assertThat(claims.claim(2).keys()).isEmpty();
        assertThat(withoutSettings(counting))
                .as("as a claim, and a look for free rows")
                .hasSize(plain + 1);
    }
}
