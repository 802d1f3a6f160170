package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verbs that start no other process. */
class VerbsTest {

    private String url;
    private Cli cli;

    @BeforeEach
    void newDatabase() {
        url = "jdbc:h2:mem:cli" + System.nanoTime() + ";DB_CLOSE_DELAY=60";
        cli = Cli.on(url + ";WRITE_DELAY=0", "sa", "");
    }

    @Test
    void makesTheTablesOnce() {
        assertThat(cli.run("init")).isEqualTo(said("The tables are made."));
        assertThat(cli.run("init")).isEqualTo(said("The tables are there already."));
        assertThat(cli.run("locks", "--prefix", "other_").err()).contains("The table other_lock is missing");
        assertThat(cli.run("init", "--prefix", "other_", "--schema", "PUBLIC").exitCode())
                .isZero();
        assertThat(cli.run("locks", "--prefix", "other_").exitCode()).isZero();
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
        try (Dibs dibs = Dibs.builder(new DriverDataSource(url, "sa", ""))
                        .holder("me")
                        .build();
                Lease lease = dibs.lock("a b").acquire(Duration.ZERO)) {
            assertThat(cli.run("locks").out()).containsPattern("\\Ra b +me +" + lease.fence() + " +\\S+Z +\\S+Z\\R");
            assertThat(cli.run("locks", "--json").out()).contains("\"name\": \"a b\"", "\"fence\": " + lease.fence());
            Outcome broken = cli.run("break", "a b");
            assertThat(broken.out()).startsWith("broken: 'a b' was held by me since ");
            assertThat(broken.exitCode()).isZero();
            assertThat(cli.run("break", "a b"))
                    .isEqualTo(new Outcome(1, "nobody has 'a b'" + System.lineSeparator(), ""));
        }
    }

    @Test
    void examines() {
        Outcome ill = cli.run("doctor");
        assertThat(ill.exitCode()).isEqualTo(1);
        assertThat(ill.out()).contains("ERROR   tables: The table dibs_lock is missing", "'dibs init'");
        cli.run("init");
        Outcome well = cli.run("doctor");
        assertThat(well.out())
                .contains("OK      connection: " + url)
                .contains("dialect h2", "OK      tables", "OK      isolation", "OK      clock")
                .containsOnlyOnce("WRITE_DELAY:");
        assertThat(well.exitCode()).isZero();
        assertThat(Cli.on("jdbc:postgresql://127.0.0.1:1/x?password=geheimnis", "u", "")
                        .run("doctor"))
                .satisfies(none -> assertThat(none.out())
                        .startsWith("ERROR   connection: can not connect")
                        .doesNotContain("geheimnis"))
                .satisfies(none -> assertThat(none.exitCode()).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lock", "locks", "break", "init", "schema", "doctor"})
    void hasHelpAndAVersion(String verb) {
        assertThat(verb.isEmpty() ? cli.run("--help") : cli.run(verb, "--help"))
                .satisfies(help -> assertThat(help.exitCode()).isZero())
                .satisfies(
                        help -> assertThat(help.out()).startsWith("Usage: dibs").contains("--version"))
                .satisfies(help -> assertThat(help.out().lines()).allMatch(line -> line.length() <= 80));
        assertThat((verb.isEmpty() ? cli.run("--version") : cli.run(verb, "--version")).out())
                .startsWith("dibs ");
    }
}
