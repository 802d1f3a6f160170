package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * {@code dibs conformance} with the client in PHP: it keeps all rules; and if it breaks a rule on purpose, the run reports it. The modes of PDO
 * make no difference to it, or it refuses them.
 */
@OnEachDatabase({PostgresDatabase.class, MariaDbDatabase.class, MySqlDatabase.class, SqliteDatabase.class})
@Tag("process")
@Timeout(1800)
class PhpClientContract implements DatabaseUser {

    private static final Path CLIENT = Path.of("clients", "php").toAbsolutePath();
    private static final Path PROGRAMS = Path.of("src/verify/clients").toAbsolutePath();

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    private ClientRun client() {
        return new ClientRun(database);
    }

    private List<String> php() {
        String driver = database.phpDriver();
        String check = "exit(PHP_VERSION_ID >= 80100 && extension_loaded('" + driver + "') ? 0 : 1);";
        Assumptions.assumeTrue(ClientRun.succeeds("php", "-r", check), () -> "no PHP 8.1 with " + driver);
        return List.of("php", CLIENT.resolve("conformance.php").toString());
    }

    private void assertFinds(String broken, String check) {
        client().assertFinds(php(), broken, check);
    }

    @FullTest
    void phpKeepsAllRules() {
        client().assertKeepsAllRules(php());
    }

    @FullTest
    void aRuleOfLocksThatIsBrokenIsFound() {
        client().assumeIs(MariaDbDatabase.class);
        assertFinds("token-twice", "fresh-tokens");
        assertFinds("release-by-name", "release-after-break");
        assertFinds("no-deadline", "loss-after-a-pause");
        assertFinds("token-read-and-then-deleted", "tokens");
    }

    @FullTest
    void aRuleOfDeadlinesThatIsBrokenIsFound() {
        client().assumeIs(MariaDbDatabase.class);
        assertFinds("no-deadline", "deadline");
        assertFinds("no-margin", "late-grant");
        assertFinds("deadline-from-answer", "deadline");
        assertFinds("deadline-from-answer", "claim-deadline");
    }

    @FullTest
    void aRuleOfGuardsThatIsBrokenIsFound() {
        client().assumeIs(MariaDbDatabase.class);
        assertFinds("guard-without-its-row", "guard-after-break");
        assertFinds("guard-of-any-owner", "guard-after-break");
        assertFinds("guard-without-end", "guard-after-the-end");
        assertFinds("guard-outside", "guard-outside");
        assertFinds("busy-unheeded", "transaction");
        assertFinds("expired-owner-unheeded", "transaction");
    }

    @FullTest
    void aRuleOfClaimsThatIsBrokenIsFound() {
        client().assumeIs(MariaDbDatabase.class);
        assertFinds("token-twice", "claim");
        assertFinds("claim-token-unheeded", "claim-fenced");
        assertFinds("claim-transaction-unheeded", "claim-joined");
        assertFinds("guard-outside", "claim-outside");
    }

    @FullTest(except = "postgresql")
    void modesOfPdoMakeNoDifferenceOrAreRefused() throws IOException {
        php();
        List<String> lines =
                modes(Stream.of("php", PROGRAMS.resolve("modes.php").toString(), CLIENT.toString()));
        assertThat(lines).hasSizeGreaterThan(20).allMatch(line -> line.startsWith("ok: "));
    }

    private List<String> modes(Stream<String> command) throws IOException {
        return client().lines(command.toList());
    }

    @FullTest
    void aRenewalAfterTheDeadlineAndBusyInPlaceOfAnErrorAreFound() throws IOException {
        client().assumeIs(MariaDbDatabase.class);
        assertNotOk("renewal-after-the-deadline", "FAULT: a lease that has expired is lost for good: ");
        assertNotOk("busy-for-an-error", "FAULT: an error is not busy: ");
    }

    private void assertNotOk(String broken, String line) throws IOException {
        Stream<String> rule =
                Stream.of("--broken", broken, PROGRAMS.resolve("modes.php").toString());
        List<String> lines = modes(Stream.concat(php().stream(), rule));
        assertThat(lines).anyMatch(one -> one.startsWith(line));
    }

    @FullTest(except = "postgresql")
    void phpCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        php();
        String unhex =
                "exit(version_compare((new PDO('sqlite::memory:'))->query('SELECT sqlite_version()')->fetchColumn(),"
                        + " '3.41', '>=') ? 0 : 1);";
        boolean hasUnhex = ClientRun.succeeds("php", "-r", unhex);
        client().assertCompletes(List.of("php", PROGRAMS.resolve("keys.php").toString(), CLIENT.toString()), hasUnhex);
    }
}
