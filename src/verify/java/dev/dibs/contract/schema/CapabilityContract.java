package dev.dibs.contract.schema;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.cli.Commands;
import dev.dibs.console.EveryPage;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.internal.schema.Schema;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An application needs only the tables of the capabilities that it uses; a missing table is reported at its first use. */
class CapabilityContract extends ContractFixture {
    /** The tables that exist. */
    private List<String> existing(String prefix) throws Exception {
        return new Schema(asked(pool(), prefix))
                .look().all().stream()
                        .map(table -> table.name().substring(prefix.length()))
                        .toList();
    }

    @FullTest(except = "postgresql")
    void locksWorkInAllPartsWithOneTableAndNobodyComplains() throws Exception {
        String prefix = ownPrefix();
        limitLogged(prefix, 0);
        Warnings warnings = closing(new Warnings(prefix));
        Dibs dibs = closing(builder(pool()).tablePrefix(prefix).holder("ann").build());
        Dibs other = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.LOCKS);
        assertThat(existing(prefix)).containsExactly("lock");
        dibs.admin().checkSchema();
        useLocks(dibs, other);
        try (Lease held = dibs.lock("printer").acquire(Duration.ZERO)) {
            assertThat(other.admin().leases()).hasSize(1);
            assertThat(other.admin().allLeases()).hasSize(1);
            held.check();
        }
        assertThat(dibs.admin().onces()).isEmpty();
        assertThat(dibs.admin().runs()).isEmpty();
        assertThat(dibs.admin().tokenCounts()).isEmpty();
        assertThat(dibs.admin().doctor())
                .extracting(Finding::level)
                .doesNotContain(Finding.Level.WARNING, Finding.Level.ERROR);
        assertThat(finding(dibs.admin().doctor(), "tables").message())
                .isEqualTo("all there for locks; none yet for once, semaphores, read-write-locks, fair-locks, claims,"
                        + " runs, tokens");
        assertThat(warnings.heard()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void consoleAndCommandShowTheExistingTables() throws Exception {
        String prefix = ownPrefix();
        limitLogged(prefix, 0);
        Warnings warnings = closing(new Warnings(prefix));
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.LOCKS);
        try (Lease held = dibs.lock("printer").acquire(Duration.ZERO)) {
            held.check();
            lookAtTheConsole(dibs);
            assertThat(Commands.run(database(), "locks", "--prefix", prefix))
                    .startsWith("0: ")
                    .contains("printer");
        }
        assertThat(Commands.run(database(), "doctor", "--prefix", prefix)).doesNotContain("ERROR", "WARNING");
        assertThat(warnings.heard()).isEmpty();
    }

    private static void useLocks(Dibs dibs, Dibs other) throws Exception {
        try (Lease held = dibs.lock("printer").acquire(Duration.ZERO)) {
            held.check();
            assertThatThrownBy(() -> other.lock("printer").acquire(Duration.ofMillis(1)))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("ann");
            assertThat(dibs.admin().breakLock("printer")).isPresent();
        }
        try (Lease waited = other.lock("printer").acquire(SOON)) {
            waited.check();
            assertThat(dibs.admin().breakLeases("printer", LeaseInfo.Kind.values()))
                    .hasSize(1);
        }
        other.lockAll(List.of("a", "b")).acquire(Duration.ZERO).close();
        assertThat(dibs.lock("printer").tryRun(Lease::check)).isTrue();
        assertThat(dibs.admin().locks()).isEmpty();
    }

    private static void lookAtTheConsole(Dibs dibs) {
        Map<String, String> pages = EveryPage.of(dibs);
        assertThat(pages).allSatisfy((page, text) -> assertThat(text).as(page).doesNotMatch("(?s)\\d{3}: .*"));
        assertThat(pages.get("")).contains("1</strong> held", "0</strong> once-guards", "Nothing is stuck");
        assertThat(pages.get("locks")).contains("printer");
        assertThat(pages.get("health")).contains("none yet for once");
        assertThat(pages.get("metrics")).contains("dibs_held{kind=\"lock\"} 1.0");
    }

    @FullTest(except = "postgresql")
    void theTablesOfASchemaThatIsNamedAreFound() throws Exception {
        assumeSchemas();
        Dibs dibs = closing(
                builder(pool()).schema(sql().schema()).tablePrefix(ownPrefix()).build());
        dibs.admin().createSchema(Capability.LOCKS);
        dibs.admin().checkSchema(Capability.LOCKS);
        assertThat(finding(dibs.admin().doctor(), "tables").message())
                .startsWith("all there for locks; none yet for once");
        assertThat(dibs.admin().leases()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void claimsNeedNoLockTable() throws Exception {
        String prefix = ownPrefix();
        limitLogged(prefix, 0);
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.ONCE);
        assertThat(dibs.once("daily").every(LEASE).tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        dibs.admin().checkSchema();
        assertThat(dibs.admin().onces()).hasSize(1);
        assertThat(dibs.admin().locks()).isEmpty();
        assertThat(dibs.admin().allLeases()).isEmpty();
        assertLevel(Finding.Level.OK, dibs.admin().doctor(), "tables");
    }

    @FullTest(except = "postgresql")
    void theFirstUseOfAnotherNamesItsMissingTablesAndTheirRemedy() throws Exception {
        String prefix = ownPrefix();
        SideJobs jobs = closing(new SideJobs(pool(), 1));
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.LOCKS);
        Map<Capability, Runnable> uses = new LinkedHashMap<>();
        uses.put(Capability.ONCE, () -> dibs.once("x").every(LEASE).tryRun(lease -> {}));
        uses.put(Capability.SEMAPHORES, () -> dibs.semaphore("x", 1).tryAcquire());
        uses.put(
                Capability.READ_WRITE_LOCKS,
                () -> dibs.readWriteLock("x").read().tryAcquire());
        uses.put(Capability.FAIR_LOCKS, () -> waitFairly(dibs));
        uses.put(Capability.CLAIMS, () -> jobs.claims(dibs).build().claim(1));
        uses.put(Capability.RUNS, () -> dibs.run("x").status());
        uses.put(Capability.TOKENS, () -> dibs.tokens("x").issue("ann", LEASE));
        uses.forEach((capability, use) -> {
            String java = "Capability." + capability.name();
            assertThatThrownBy(use::run)
                    .as(java)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("Dibs.admin().createSchema(" + java + ")")
                    .hasMessageContaining("'dibs init --only " + capability + "'")
                    .hasMessageContaining("'dibs schema " + dibs.dialect() + " --only " + capability + "'");
            assertThatThrownBy(() -> dibs.admin().checkSchema(capability)).hasMessageContaining(java);
            dibs.admin().createSchema(capability);
            dibs.admin().checkSchema(capability);
            if (capability != Capability.FAIR_LOCKS) {
                use.run();
            }
        });
        assertThat(finding(dibs.admin().doctor(), "tables").message()).isEqualTo("all there");
        assertThat(dibs.admin().onces()).hasSize(1);
        assertThat(dibs.admin().tokenCounts()).hasSize(1);
    }

    private static void waitFairly(Dibs dibs) {
        try (Lease held = dibs.lock("fair").acquire(Duration.ZERO)) {
            held.check();
            // Long, so that a slow machine gets as far as the ticket.
            dibs.lock("fair").fair().tryAcquire(SOON);
        }
    }
}
