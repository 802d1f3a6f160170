package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.DriverDataSource;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The list of holders. */
@Tag("unit")
class LocksCommandTest {

    private String url;
    private Cli cli;

    @BeforeEach
    void newDatabase() {
        url = "jdbc:h2:mem:locks" + System.nanoTime() + ";DB_CLOSE_DELAY=60";
        cli = Cli.on(url + ";WRITE_DELAY=0", "sa", "");
        cli.ok("init");
    }

    @Test
    void aNameOrAPatternChooses() {
        try (Dibs dibs = Dibs.on(new DriverDataSource(url, "sa", ""));
                Lease first = dibs.lock("nightly-report").tryAcquire().orElseThrow();
                Lease second = dibs.lock("nightly.mail").tryAcquire().orElseThrow()) {
            assertThat(cli.run("locks").out()).contains(first.name(), second.name());
            assertThat(cli.run("locks", "nightly-*").out())
                    .contains(first.name())
                    .doesNotContain(second.name());
            assertThat(cli.run("locks", "*.*").out()).contains(second.name()).doesNotContain(first.name());
            assertThat(cli.run("locks", "nightly", "--json").out()).isEqualToIgnoringNewLines("[]");
            assertThat(cli.run("locks", "nightly.mail", "--json").out()).contains("\"nightly.mail\"");
        }
    }

    @Test
    void watchPrintsALineForEachChange() throws Exception {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        Thread watch = new Thread(() -> Main.commandLine(
                        Map.of("DIBS_URL", url, "DIBS_USER", "sa"), InputStream.nullInputStream(), "locks")
                .setOut(writer)
                .setErr(writer)
                .execute("locks", "a*", "--watch"));
        try (Dibs dibs =
                Dibs.builder(new DriverDataSource(url, "sa", "")).holder("me").build()) {
            Lease other = dibs.lock("b").tryAcquire().orElseThrow();
            Lease held = dibs.lock("a").tryAcquire().orElseThrow();
            watch.start();
            await().until(() -> out.toString().startsWith("acquired a lock me " + held.fencingToken()));
            held.close();
            await().until(() -> out.toString().contains("released a lock me " + held.fencingToken()));
            other.close();
        } finally {
            watch.interrupt();
            watch.join(120_000);
        }
        assertThat(out.toString().lines()).hasSize(2);
    }
}
