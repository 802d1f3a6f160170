package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import dev.dibs.once.Once;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class OnceCommandTest {

    private String url;
    private Cli cli;

    @BeforeEach
    void newDatabase() {
        url = "jdbc:h2:mem:once" + System.nanoTime() + ";DB_CLOSE_DELAY=60";
        cli = Cli.on(url + ";WRITE_DELAY=0", "sa", "");
        assertThat(cli.run("init").exitCode()).isZero();
    }

    @Test
    void runsOnceAPeriodAndSaysSo() {
        assertThat(cli.run("once", "list", "--every", "24h", "--", "true").exitCode())
                .isZero();
        Outcome notDue = cli.run("once", "list", "--every", "24h", "--", "false");
        assertThat(notDue.exitCode()).isZero();
        assertThat(notDue.err()).contains("'list' is not due");
        assertThat(cli.run("once", "--list").out()).contains("list", "idle").doesNotContain("running");
        assertThat(cli.run("once", "--list", "--json").out()).contains("\"name\": \"list\"", "\"failures\": 0");
    }

    @Test
    void aFailureHasItsExitCodeAndIsSeen() {
        assertThat(cli.run("once", "broken", "--every", "24h", "--", "sh", "-c", "exit 3")
                        .exitCode())
                .isEqualTo(3);
        assertThat(cli.run("once", "--list").out())
                .contains("broken", "failed", "exit code 3")
                .doesNotContain("CommandFailed");
    }

    @Test
    void recentlyFailedWorkIsSkipped() {
        cli.run("once", "migration", "--every", "36500d", "--", "sh", "-c", "exit 3");
        Outcome failed = cli.run("once", "migration", "--every", "36500d", "--", "true");
        assertThat(failed.exitCode()).isEqualTo(78);
        assertThat(failed.err())
                .startsWith("dibs: failed: 'migration' is not done; it failed at 2")
                .contains(" (exit code 3) and is tried again from 2");
    }

    @Test
    void waitsUntilItIsDone() {
        try (Dibs dibs = Dibs.on(new DriverDataSource(url, "sa", ""))) {
            Once once = dibs.once("migration")
                    .backoff(Duration.ofMillis(200), Duration.ofHours(1))
                    .ever();
            assertThatThrownBy(() -> once.tryRun(lease -> {
                        throw new IOException("disk full");
                    }))
                    .isInstanceOf(IOException.class);
        }
        Outcome done = cli.run("once", "migration", "--every", "36500d", "--wait", "20s", "--", "true");
        assertThat(done.exitCode()).isZero();
        assertThat(done.err()).isEmpty();
    }

    @Test
    void theRunningCommandIsNotDisturbed() {
        try (Dibs dibs = Dibs.on(new DriverDataSource(url, "sa", ""))) {
            dibs.once("busy").every(Duration.ofHours(1)).tryRun(lease -> {
                assertThat(cli.run("once", "busy", "--every", "1h", "--", "true"))
                        .satisfies(busy -> assertThat(busy.exitCode()).isEqualTo(75))
                        .satisfies(busy -> assertThat(busy.err()).contains("busy: another process"));
                assertThat(cli.run("once", "--list").out()).contains("running");
            });
        }
    }

    @Test
    void missingArgumentsAreNamed() {
        assertThat(cli.run("once", "x", "--", "true").err()).contains("name, period and command are needed");
        assertThat(cli.run("once", "--every", "1h").err()).contains("name, period and command are needed");
        assertThat(cli.run("once", "x", "--every", "1h").err()).contains("nothing to run", "dibs once NAME");
    }
}
