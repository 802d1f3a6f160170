package dev.dibs.cli;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Permit;
import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import dev.dibs.junit.Closing;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The verbs that start no other process. */
@Tag("unit")
class VerbsTest extends Closing {

    private String url;
    private Cli cli;

    @BeforeEach
    void newDatabase() {
        url = "jdbc:h2:mem:cli" + System.nanoTime() + ";DB_CLOSE_DELAY=60";
        cli = Cli.on(url + ";WRITE_DELAY=0", "sa", "");
    }

    @Test
    void printsTheGrantsForAUser() {
        Outcome printed = cli.run("schema", "mariadb", "--prefix", "x_", "--grant-to", "'app'@'%'");
        assertThat(printed.exitCode()).isZero();
        assertThat(printed.out())
                .contains("CREATE TABLE IF NOT EXISTS x_token (")
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON x_token TO 'app'@'%';");
        assertThat(cli.run("schema", "mariadb", "--grant-to", "app; DROP").exitCode())
                .isEqualTo(2);
    }

    @Test
    void makesTheTablesOnce() {
        assertThat(cli.run("init")).isEqualTo(said("The tables are made."));
        assertThat(cli.run("init")).isEqualTo(said("The tables are there already."));
        assertThat(cli.run("locks", "--prefix", "other_").err()).contains("The tables other_lock, ");
        cli.ok("init", "--prefix", "other_", "--schema", "PUBLIC");
        cli.ok("locks", "--prefix", "other_");
    }

    @Test
    void makesTheTablesOfOneCapabilityAndLaterThoseOfAnother() {
        assertThat(cli.run("init", "--only", "locks")).isEqualTo(said("The tables are made."));
        assertThat(cli.run("init", "--only", "locks")).isEqualTo(said("The tables are there already."));
        cli.ok("locks");
        cli.ok("once", "--list");
        Outcome refused = cli.run("semaphore", "x", "--permits", "1", "--", "true");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("The table dibs_permit is missing", "'dibs init --only semaphores'")
                .doesNotContain("dibs_once");
        Outcome well = cli.run("doctor");
        assertThat(well.exitCode()).isZero();
        assertThat(well.out())
                .contains("OK      tables: all there for locks; none yet for once, semaphores, ")
                .contains("OK      rights: may write all tables that are there");
        assertThat(cli.run("init", "--only", "semaphores,tokens")).isEqualTo(said("The tables are made."));
        assertThat(cli.run("init")).isEqualTo(said("The tables are made."));
        assertThat(cli.run("init")).isEqualTo(said("The tables are there already."));
    }

    @Test
    void printsTheSchemaOfOneCapability() {
        assertThat(cli.run("schema", "h2", "--only", "tokens", "--grant-to", "app")
                        .out()
                        .lines())
                .filteredOn(line -> line.startsWith("CREATE TABLE") || line.startsWith("GRANT"))
                .containsExactly(
                        "CREATE TABLE IF NOT EXISTS dibs_lock (",
                        "CREATE TABLE IF NOT EXISTS dibs_token (",
                        "GRANT SELECT, INSERT, UPDATE, DELETE ON dibs_lock TO app;",
                        "GRANT SELECT, INSERT, UPDATE, DELETE ON dibs_token TO app;");
    }

    @Test
    void namesTheRightThatIsMissingOnTablesThatAreThere() throws SQLException {
        cli.run("init");
        for (String statement : List.of(
                "CREATE USER reader PASSWORD 'reader'",
                "GRANT SELECT, UPDATE, DELETE ON SCHEMA PUBLIC TO reader",
                "GRANT INSERT ON dibs_token TO reader")) {
            run(statement);
        }
        // Only an administrator may give settings in the url.
        Outcome there = Cli.on(url.replaceFirst(";.*", ""), "reader", "reader").run("init");
        assertThat(there.exitCode()).as(there.toString()).isZero();
        assertThat(there.out()).isEqualTo(said("The tables are there already.").out());
        assertThat(there.err())
                .startsWith("dibs: this user may not write them all: no INSERT on dibs_lock, ")
                .contains("'dibs schema h2 --grant-to USER'")
                .doesNotContain("UPDATE on", "dibs_token");
    }

    @Test
    void aMissingRightToCreateTablesIsNamed() throws SQLException {
        run("CREATE USER stranger PASSWORD 'stranger'");
        Outcome refused =
                Cli.on(url.replaceFirst(";.*", ""), "stranger", "stranger").run("init");
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(2);
        assertThat(refused.err())
                .contains(
                        "Not enough rights",
                        "As a user with the right to create and change tables, run what 'dibs init --dry-run' prints")
                .doesNotContain("with the command 'dibs init'");
        Outcome some =
                Cli.on(url.replaceFirst(";.*", ""), "stranger", "stranger").run("init", "--only", "locks");
        assertThat(some.err()).contains("and what 'dibs schema h2 --only locks --grant-to USER' prints");
    }

    @Test
    void aDryInitPrintsStatementsAndChangesNothing() throws SQLException {
        Outcome dry = cli.run("init", "--only", "locks", "--dry-run");
        assertThat(dry.exitCode()).as(dry.toString()).isZero();
        assertThat(dry.out())
                .startsWith("CREATE TABLE IF NOT EXISTS dibs_lock (")
                .endsWith(");\n\n");
        assertThat(cli.run("init", "--only", "locks").out()).isEqualTo("The tables are made.\n");
        assertThat(cli.run("init", "--only", "locks", "--dry-run").out()).isEmpty();
        run("ALTER TABLE dibs_lock DROP COLUMN holder");
        assertThat(cli.run("init", "--only", "locks", "--dry-run").out())
                .isEqualTo("ALTER TABLE dibs_lock ADD COLUMN IF NOT EXISTS holder varchar(200);\n\n");
        assertThat(cli.run("init", "--only", "locks").out()).isEqualTo("The tables are made.\n");
        assertThat(cli.run("init", "--only", "locks", "--dry-run").out()).isEmpty();
    }

    private static Outcome said(String line) {
        return new Outcome(0, line + System.lineSeparator(), "");
    }

    @Test
    void printsTheSchemaOfEachDialect() {
        for (String dialect : Dialect.names()) {
            assertThat(cli.run("schema", dialect))
                    .isEqualTo(said(Dialect.named(dialect).ddl().strip()));
        }
        assertThat(cli.run("schema", "h2", "--schema", "s", "--prefix", "p_").out())
                .contains(" s.p_lock (");
    }

    @Test
    void showsAndBreaksLocks() {
        cli.run("init");
        Dibs dibs = closing(
                Dibs.builder(new DriverDataSource(url, "sa", "")).holder("me").build());
        Lease lease = closing(dibs.lock("a b").acquire(Duration.ZERO));
        assertThat(cli.run("locks").out())
                .containsPattern("\\Ra b +lock +me +" + lease.fencingToken() + " +\\S+Z +\\S+Z\\R");
        assertThat(cli.run("locks", "--json").out())
                .contains("\"name\": \"a b\"", "\"fence\": " + lease.fencingToken());
        Outcome broken = cli.run("break", "a b");
        assertThat(broken.out()).startsWith("broken: 'a b' was held by me since ");
        assertThat(broken.exitCode()).isZero();
        assertThat(cli.run("break", "a b")).isEqualTo(new Outcome(1, "nobody has 'a b'" + System.lineSeparator(), ""));
    }

    @Test
    void showsTheLocksOfChoresOnlyIfAskedFor() {
        cli.run("init");
        Dibs dibs = closing(Dibs.on(new DriverDataSource(url, "sa", "")));
        Lease lease = closing(dibs.lock("dibs-purge-tokens:invite").acquire(Duration.ZERO));
        assertThat(cli.run("locks", "--json").out().strip()).isEqualTo("[]");
        assertThat(cli.run("locks").out()).doesNotContain("invite");
        assertThat(cli.run("locks", "--all").out()).contains("invite");
        assertThat(cli.run("locks", "--all", "--json").out()).contains("\"fence\": " + lease.fencingToken());
    }

    @Test
    void runsACommandWithAPermitOrNot() {
        cli.run("init");
        String[] first = {"semaphore", "s", "--permits", "2", "--", "sh", "-c", "test $DIBS_SLOT = 1"};
        try (Dibs dibs = Dibs.on(new DriverDataSource(url, "sa", ""));
                Permit other = dibs.semaphore("s", 2).acquire(Duration.ZERO)) {
            assertThat(other.slot()).isZero();
            cli.ok(first);
            try (Permit second = dibs.semaphore("s", 2).acquire(Duration.ZERO)) {
                assertThat(second.slot()).isEqualTo(1);
                Outcome busy = cli.run(first);
                assertThat(busy.exitCode()).isEqualTo(75);
                assertThat(busy.err()).contains("not acquired: 's' is held by");
            }
        }
        assertThat(cli.run("semaphore", "s", "--permits", "0", "--", "true"))
                .satisfies(wrong -> assertThat(wrong.exitCode()).isEqualTo(2))
                .satisfies(wrong -> assertThat(wrong.err()).contains("0 permits are out of bounds"));
        assertThat(cli.run("semaphore", "s", "--", "true").exitCode()).isEqualTo(2);
        assertThat(cli.run("semaphore", "s", "--permits", "1").err()).contains("dibs semaphore NAME -- CMD");
    }

    @Test
    void runsACommandAsAReaderOrAWriter() {
        cli.run("init");
        Dibs dibs = closing(
                Dibs.builder(new DriverDataSource(url, "sa", "")).holder("me").build());
        Lease reader = closing(dibs.readWriteLock("r").read().acquire(Duration.ZERO));
        cli.ok("read", "r", "--", "true");
        Outcome busy = cli.run("write", "r", "--", "true");
        assertThat(busy.exitCode()).isEqualTo(75);
        assertThat(busy.err()).contains("not acquired: 'r' is held by me since ");
        assertThat(cli.run("locks").out()).containsPattern("\\Rr +reader +me +");
        Outcome broken = cli.run("break", "r", "--read-write");
        assertThat(broken.out()).startsWith("broken: 'r' was held by me since ").contains(" (reader)");
        assertThat(cli.run("break", "r", "--read-write").exitCode()).isEqualTo(1);
        cli.ok("write", "r", "--", "true");
        try (Lease permit = dibs.semaphore("r", 3).acquire(Duration.ZERO)) {
            assertThat(cli.run("locks", "--json").out()).contains("\"kind\": \"permit\"");
            assertThat(cli.run("break", "r", "--semaphore").out()).contains(" (permit)");
            assertThat(permit.name()).isEqualTo(reader.name());
        }
        assertThat(cli.run("break", "r", "--semaphore", "--read-write").exitCode())
                .isEqualTo(2);
    }

    @Test
    void holdAtLeastKeepsTheLockBusy() {
        cli.run("init");
        String[] once = {"lock", "nightly", "--hold-at-least", "1h", "--", "true"};
        cli.ok(once);
        assertThat(cli.run(once).exitCode()).isEqualTo(75);
        assertThat(cli.run(once).err()).contains("kept busy by --hold-at-least");
        assertThat(cli.run("lock", "nightly", "--hold-at-least", "25h", "--", "true")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void fairLockWaitsInOrder() {
        cli.run("init");
        cli.ok("lock", "printer", "--fair", "--wait", "2m", "--", "true");
        String[] printed = {"lock", "printer", "--fair", "--wait", "300ms", "--", "true"};
        Dibs dibs = closing(Dibs.on(new DriverDataSource(url, "sa", "")));
        Lease held = closing(dibs.lock("printer").fair().acquire(Duration.ZERO));
        assertThat(cli.run(printed).exitCode()).isEqualTo(75);
        held.check();
    }

    @Test
    void doctorExaminesTheDatabase() {
        Outcome ill = cli.run("doctor");
        assertThat(ill.exitCode()).isEqualTo(1);
        assertThat(ill.out()).contains("ERROR   tables: The tables dibs_lock, ", "'dibs init'");
        cli.run("init");
        Outcome well = cli.run("doctor");
        assertThat(well.out())
                .contains("OK      connection: " + url)
                .contains("dialect h2", "OK      tables", "OK      isolation")
                // A note after a pause of this machine.
                .containsPattern("(OK|NOTE) +clock")
                .containsOnlyOnce("WRITE_DELAY:");
        assertThat(well.exitCode()).isZero();
        assertThat(Cli.on("jdbc:postgresql://127.0.0.1:1/x?password=geheimnis", "u", "")
                        .run("doctor"))
                .satisfies(none -> assertThat(none.out())
                        .startsWith("ERROR   connection: cannot connect")
                        .doesNotContain("geheimnis"))
                .satisfies(none -> assertThat(none.exitCode()).isEqualTo(1));
    }

    @Test
    void doctorExaminesAClaimedTable() throws Exception {
        cli.run("init");
        run("CREATE SCHEMA s");
        run("CREATE TABLE s.\"Mail out\" (id int, \"no\" int, done timestamp, t varchar(32), u bigint, PRIMARY KEY"
                + " (id, \"no\"))");
        String[] arguments = {
            "doctor",
            "--claims",
            "s.\"Mail out\"",
            "--key",
            "id,\"no\"",
            "--token",
            "t",
            "--until",
            "u",
            "--where",
            "done IS NULL AND t <> 'x'",
            "--order",
            "\"no\" DESC, id"
        };
        Outcome without = cli.run(arguments);
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.out())
                .contains("OK      connection: ", "OK      claims table: s.\"Mail out\" is there, with ID, no, T, U")
                .contains("OK      claims key: ID, no is unique", "NOTE    claims token: ");
        String ddl = without.out()
                .lines()
                .filter(line -> line.startsWith("WARNING claims index"))
                .map(line -> line.substring(line.indexOf(" -> ") + 4))
                .findFirst()
                .orElseThrow();
        assertThat(ddl).isEqualTo("CREATE INDEX \"Mail out_open\" ON s.\"Mail out\" (done, \"no\" DESC, id, t)");
        run(ddl);
        Outcome with = cli.run(arguments);
        assertThat(with.out()).contains("OK      claims index: Mail out_open");
        assertThat(with.exitCode()).isZero();
    }

    private void run(String sql) throws SQLException {
        Sql.on(new DriverDataSource(url, "sa", "")).run(sql);
    }

    @Test
    void reportsInvalidClaims() {
        cli.run("init");
        assertThat(cli.run("doctor", "--claims", "none", "--key", "id", "--token", "t"))
                .satisfies(
                        none -> assertThat(none.out()).contains("ERROR   claims table: the table none cannot be read"))
                .satisfies(none -> assertThat(none.exitCode()).isEqualTo(1));
        assertThat(cli.run("doctor", "--claims", "dibs_lock", "--key", "name", "--token", "t"))
                .satisfies(none ->
                        assertThat(none.out()).contains("ERROR   claims table: the table dibs_lock has no column t"))
                .satisfies(none -> assertThat(none.exitCode()).isEqualTo(1));
        for (String[] mistake : new String[][] {
            {"doctor", "--key", "id"},
            {"doctor", "--claims", "dibs_lock", "--token", "t"},
            {"doctor", "--claims", "dibs_lock", "--key", "name"},
            {"doctor", "--claims", "a b", "--key", "name", "--token", "t"}
        }) {
            assertThat(cli.run(mistake))
                    .satisfies(outcome -> assertThat(outcome.exitCode())
                            .as(outcome.toString())
                            .isEqualTo(2));
        }
    }
}
