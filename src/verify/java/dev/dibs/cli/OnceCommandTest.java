package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import dev.dibs.once.Once;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        cli.ok("init");
    }

    @Test
    void runsOnceAPeriodAndSaysSo() {
        cli.ok("once", "list", "--every", "24h", "--", "true");
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
    void recentlyFailedWorkIsSkipped() throws SQLException {
        cli.run("once", "migration", "--every", "36500d", "--", "sh", "-c", "exit 3");
        // So that a pause of this machine does not end it.
        Sql.on(new DriverDataSource(url, "sa", "")).run("UPDATE dibs_once SET retry_at = retry_at + 3600000");
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
        Outcome done = cli.run("once", "migration", "--every", "36500d", "--wait", "2m", "--", "true");
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

    @Test
    void theCalendarSaysWhenItIsDue() {
        for (String[] period : new String[][] {
            {"--daily"},
            {"--daily", "--at", "00:00", "--zone", "Europe/Berlin"},
            {"--monthly", "1"},
            {"--cron", "0 0 1 1 *", "--zone", "Asia/Tokyo"}
        }) {
            String name = "by " + String.join(" ", period);
            assertThat(once(name, period, "sh", "-c", "exit 4").exitCode()).isEqualTo(4);
            cli.ok("once", name, "--forget");
            assertThat(once(name, period, "true")).isEqualTo(new Outcome(0, "", ""));
            assertThat(once(name, period, "false").err()).isEqualTo("dibs: '" + name + "' is not due\n");
        }
    }

    private Outcome once(String name, String[] period, String... command) {
        List<String> words = new ArrayList<>(List.of("once", name));
        words.addAll(List.of(period));
        words.add("--");
        words.addAll(List.of(command));
        return cli.run(words.toArray(String[]::new));
    }

    @Test
    void forgottenWorkIsDue() {
        cli.run("once", "list", "--every", "24h", "--", "true");
        assertThat(cli.run("once", "list", "--forget"))
                .isEqualTo(new Outcome(0, "", "dibs: 'list' is due for the next caller\n"));
        assertThat(cli.run("once", "list", "--every", "24h", "--", "sh", "-c", "exit 9")
                        .exitCode())
                .isEqualTo(9);
        assertThat(cli.run("once", "never", "--forget").exitCode()).isEqualTo(1);
        assertThat(cli.run("once", "never", "--forget").err()).contains("nothing to forget: 'never' was never done");
    }

    @Test
    void contradictingPeriodsAreRefused() {
        for (String[] period : new String[][] {
            {"--daily", "--every", "1h"},
            {"--every", "1h", "--at", "04:00"},
            {"--every", "1h", "--zone", "UTC"},
            {"--monthly", "32"},
            {"--cron", "nonsense"},
            {"--daily", "--at", "25:00"},
            {"--daily", "--zone", "Mars"}
        }) {
            Outcome refused = once("x", period, "true");
            assertThat(refused.exitCode()).as(String.join(" ", period)).isEqualTo(2);
            assertThat(refused.err().lines()).hasSize(1);
        }
    }
}
