package dev.dibs.contract.schema;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.cli.Commands;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** A quoted name of a schema is that name exactly; no two schemas meet. */
class QuotedSchemaContract extends ContractFixture {
    /** What has a meaning in SQL, in JDBC, or in a literal. */
    private static final String STRANGE = " \"x\" it's a.b `y` [z] 5% :n ? COMMIT é";

    private static final String PREFIX = "d_";

    private final String base = "s" + prefix();

    /** The name in quotes, as a user writes it. */
    private static String quoted(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    /** A name that is plain or in quotes, as this database has it. */
    private String inSql(String schema) {
        return SqlName.table(schema, database().quoted("").substring(1));
    }

    private void make(String schema) throws SQLException {
        assumeSchemas();
        sql().run("CREATE SCHEMA " + inSql(schema));
    }

    private DibsBuilder in(String schema) {
        return builder(pool()).schema(schema).tablePrefix(PREFIX);
    }

    private static void requireHealthy(Dibs dibs) {
        dibs.admin().checkSchema(Capability.values());
        assertThat(dibs.admin().doctor())
                .filteredOn(
                        finding -> finding.level() == Finding.Level.WARNING || finding.level() == Finding.Level.ERROR)
                .isEmpty();
        assertThat(tables(dibs)).isEqualTo("all there");
    }

    private static String tables(Dibs dibs) {
        return finding(dibs.admin().doctor(), "tables").message();
    }

    @FullTest(except = "postgresql")
    void everyCapabilityWorksInItAndTheFoldedTwinHasItsOwn() throws Exception {
        for (String schema : List.of(base, quoted(base + STRANGE))) {
            make(schema);
        }
        Dibs plain = closing(in(base).build());
        Dibs strange = closing(in(quoted(base + STRANGE)).build());
        SideJobs jobs = closing(new SideJobs(pool(), 4));
        SideJobs others = closing(new SideJobs(pool(), 4));
        plain.admin().createSchema();
        strange.admin().createSchema();
        strange.admin().createSchema();
        requireHealthy(plain);
        requireHealthy(strange);
        useEach(plain, strange);
        useEach(strange, plain);
        claimEach(plain, jobs);
        claimEach(strange, others);
        requireHealthy(strange);
        assertThat(strange.admin().tokenCounts()).hasSize(1);
    }

    /** Another instance with the same names is not in its way. */
    private static void useEach(Dibs dibs, Dibs other) throws Exception {
        try (Lease lease = dibs.lock("a").acquire(Duration.ZERO);
                Lease twin = other.lock("a").acquire(Duration.ZERO);
                Lease permit = dibs.semaphore("a", 1).tryAcquire().orElseThrow();
                Lease twinPermit = other.semaphore("a", 1).tryAcquire().orElseThrow();
                Lease reader = dibs.readWriteLock("a").read().tryAcquire().orElseThrow();
                Lease writer = other.readWriteLock("a").write().tryAcquire().orElseThrow()) {
            for (Lease held : List.of(lease, twin, permit, twinPermit, reader, writer)) {
                held.check();
            }
            assertThat(dibs.lock("a").tryAcquire()).isEmpty();
            assertThat(dibs.lock("a").fair().tryAcquire(Duration.ofMillis(1))).isEmpty();
            assertThat(dibs.admin().leases()).hasSize(3);
        }
        dibs.lock("a").fair().acquire(SOON).close();
        dibs.lockAll(List.of("a", "b")).acquire(Duration.ZERO).close();
        assertThat(dibs.once("a").every(LONG).tryRun(Lease::check)).isEqualTo(OnceOutcome.RAN);
        OneTimeTokens tokens = dibs.tokens("a").purgeEvery(Duration.ZERO);
        String token = tokens.issue("ann", LONG);
        assertThat(other.tokens("a").consume(token).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(tokens.consume(token).status()).isEqualTo(TokenStatus.OK);
        assertThat(dibs.admin().locks()).isEmpty();
    }

    private void claimEach(Dibs dibs, SideJobs jobs) throws Exception {
        assertThat(jobs.claims(dibs).build().claim(1).keys()).hasSize(1);
        RunWorkers<?> workers = closing(dibs.run("a")
                .over(dibs.claims(jobs.table())
                        .key("id")
                        .ranges("r")
                        .where("done_at IS NULL")
                        .build())
                .work(key -> {})
                .start());
        assertThat(workers.await()).isEqualTo(End.FINISHED);
    }

    @FullTest(except = "postgresql")
    void schemasThatDifferInCaseAloneDoNotMeet() throws Exception {
        assumeTrue(database().has(Trait.NAMES_HAVE_CASE), "names that differ in case alone are one name");
        String capitals = quoted(base.toUpperCase(Locale.ROOT) + "-Ä");
        String small = quoted(base.toLowerCase(Locale.ROOT) + "-Ä");
        make(capitals);
        make(small);
        Dibs all = closing(in(capitals).build());
        Dibs locks = closing(in(small).build());
        all.admin().createSchema();
        assertThatThrownBy(locks.admin()::checkSchema).hasMessageContaining("are missing");
        locks.admin().createSchema(Capability.LOCKS);
        locks.admin().checkSchema();
        assertThat(tables(all)).isEqualTo("all there");
        assertThat(tables(locks)).startsWith("all there for locks; none yet for once");
        Lease one = all.lock("a").acquire(Duration.ZERO);
        Lease other = locks.lock("a").acquire(Duration.ZERO);
        one.check();
        other.check();
        assertThat(locks.admin().leases()).hasSize(1);
    }

    /** The number is a hash of the name with the table's own number. */
    @FullTest(except = "postgresql")
    void aWaiterIsWokenByReleasesOfItsSchemaAlone() throws Exception {
        String strange = quoted(base + STRANGE);
        make(base);
        make(strange);
        for (String schema : List.of(base, strange)) {
            closing(in(schema).build()).admin().createSchema();
        }
        if (asked(pool(), base + "." + PREFIX).statements().features().notifies()) {
            assertThat(numberOf(strange)).isNotNull().isNotEqualTo(numberOf(base));
        }
    }

    /** The session that marks ends here, and its mark with it. */
    private Long numberOf(String schema) throws Exception {
        try (HikariDataSource own = database().pool(config -> config.setMaximumPoolSize(1))) {
            Params params = Params.of("name", "a").with("kind", "lock");
            return asked(own, schema + "." + PREFIX)
                    .call("mark_waiting", params, LONG, row -> row.getObject("number", Long.class))
                    .rows()
                    .get(0);
        }
    }

    @FullTest(except = "postgresql")
    void theCommandTakesIt() throws Exception {
        String schema = quoted(base + STRANGE);
        make(schema);
        String[] where = {"--schema", schema, "--prefix", PREFIX};
        assertThat(command(where, "init")).startsWith("0: ");
        try (Dibs dibs = in(schema).build();
                Lease held = dibs.lock("printer").acquire(Duration.ZERO)) {
            held.check();
            assertThat(command(where, "locks")).startsWith("0: ").contains("printer");
        }
        assertThat(command(where, "doctor"))
                .startsWith("0: ")
                .contains("all there")
                .doesNotContain("ERROR", "WARNING");
        assertThat(command(where, "conformance", "--only", "engine"))
                .startsWith("0: ")
                .contains("drop " + inSql(schema) + "." + PREFIX + "engine_")
                .doesNotContain("FAILED");
        String dialect = dialect();
        for (String verb : List.of("schema", "statements")) {
            assertThat(command(where, verb, dialect)).startsWith("0: ").contains(inSql(schema) + "." + PREFIX + "lock");
        }
    }

    private String dialect() {
        try (Dibs dibs = dibs()) {
            return dibs.dialect().name();
        }
    }

    private String command(String[] where, String... words) {
        String[] all = Arrays.copyOf(words, words.length + where.length);
        System.arraycopy(where, 0, all, words.length, where.length);
        return Commands.run(database(), all);
    }

    /** As for prefixes: TablePrefixTest has more of them. The last two have 64 bytes, which PostgreSQL would cut. */
    @Test
    void anythingElseIsRefused() {
        for (String schema :
                List.of("", "\"\"", "\"a", "a.b", "größe", "\"a\\b\"", "\"{now}\"", "\"a\nb\"", "\"a\".b")) {
            assertRejected(() -> in(schema));
        }
        for (String schema : List.of(quoted("ä".repeat(32)), "a".repeat(64))) {
            assertRejected(() -> in(schema), "more than 63 bytes");
        }
    }
}
