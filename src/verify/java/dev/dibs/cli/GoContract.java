package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.GoProgram;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** {@code dibs conformance} with the client in Go: it keeps all rules; and if it breaks a rule on purpose, the run reports it. */
@OnEachDatabase({PostgresDatabase.class, MariaDbDatabase.class, MySqlDatabase.class, SqliteDatabase.class})
@Tag("process")
@Timeout(1800)
class GoContract implements DatabaseUser {

    private TestDatabase database;
    private ClientRun runs;

    @Override
    public void use(TestDatabase given) {
        database = given;
        runs = new ClientRun(given);
    }

    @BeforeEach
    void requireGo() {
        Assumptions.assumeTrue(
                GoProgram.obstacle().isEmpty(), () -> GoProgram.obstacle().orElse(""));
    }

    private static List<String> program() throws Exception {
        return List.of(GoProgram.right().conformance().toString());
    }

    @FullTest
    void goKeepsAllRules() throws Exception {
        runs.assertKeepsAllRules(program());
    }

    @FullTest
    void aRuleThatIsBrokenIsFound() throws Exception {
        runs.assumeIs(MariaDbDatabase.class);
        for (GoMistakes.Mistake mistake : GoMistakes.IN_CONFORMANCE) {
            String program = mistake.program().conformance().toString();
            for (String check : mistake.finds()) {
                Outcome outcome = runs.run(List.of("--only", check), List.of(program));

                assertThat(outcome.out())
                        .as(mistake.name())
                        .startsWith("FAILED ")
                        .contains(" " + check + ": ");
                assertThat(outcome.exitCode()).isEqualTo(1);
            }
        }
    }

    @FullTest
    void itsTestsOnAServerPass() throws Exception {
        String url = database.url();
        Assumptions.assumeTrue(database.port() != 0, "a file is no server");
        boolean isPostgres = url.startsWith("jdbc:postgresql:");
        String server = String.format(
                isPostgres ? "postgres://%s:%s@127.0.0.1:%d/%s?sslmode=disable" : "%s:%s@tcp(127.0.0.1:%d)/%s",
                database.user(),
                database.password(),
                database.port(),
                url.replaceAll("^.*/|[?].*$", ""));
        GoProgram.Result tested = GoProgram.right()
                .run(
                        List.of("go", "test", "-v", "-count=1", "-run", "^TestOnServer", "."),
                        Map.of(isPostgres ? "DIBS_TEST_POSTGRES" : "DIBS_TEST_MYSQL", server));
        assertThat(tested.isGood()).as(tested.said()).isTrue();
        assertThat(tested.said().split("--- PASS: TestOnServer", -1)).hasSizeGreaterThan(3);
    }

    @FullTest
    void goCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        boolean hasUnhex = ClientRun.succeeds(
                "/usr/bin/python3", "-c", "import sqlite3; assert sqlite3.sqlite_version_info >= (3, 41)");
        runs.assertCompletes(program(), hasUnhex);
    }
}
