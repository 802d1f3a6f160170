package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Passwords in errors and reasons are masked, wherever the console shows one. */
@Tag("unit")
class SecretsTest {

    private static final String SECRET = "hunter22";

    private static Stage stage;
    private static Pages pages;

    @BeforeAll
    static void fail() {
        stage = new Stage();
        stage.jobs(5);
        stage.work("mails", List.of(3L), "no route to jdbc:x://y?password=" + SECRET);
        stage.dibs().run("mails").stop("see jdbc:x://y?password=" + SECRET);
        stage.execute("UPDATE dibs_run SET finished_at = NULL");
        stage.execute("UPDATE dibs_run_worker SET error = 'no right at jdbc:x://y?password=" + SECRET + "'");
        stage.work("gone", List.of(), "");
        stage.execute("UPDATE dibs_run SET finished_at = NULL WHERE name = 'gone'");
        stage.execute("UPDATE dibs_run_worker SET error = 'no right at jdbc:x://y?password=" + SECRET + "'");
        assertThat(catchThrowable(() -> stage.dibs()
                        .once("report")
                        .every(Duration.ofDays(1))
                        .tryRun(lease -> {
                            throw new IllegalStateException("no route to jdbc:x://y?password=" + SECRET);
                        })))
                .isNotNull();
        pages = new Pages(new Snapshot(stage.dibs(), System::nanoTime));
    }

    @AfterAll
    static void close() {
        pages.close();
        stage.close();
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', false, see jdbc:x no right no route",
        "'', '', true, see jdbc:x no right no route",
        "onces, '', false, no route",
        "onces, '', true, no route",
        "runs, '', false, see jdbc:x",
        "runs, '', true, see jdbc:x no right",
        "run, '', false, see jdbc:x no right no route",
        "run, '', true, see jdbc:x no right",
        "run, errors, true, no route",
        "run, dead, true, no route"
    })
    void everyPageMasksItsErrors(String page, String show, boolean json, String texts) {
        PageRequest.Who who = new PageRequest.Who("ann", "127.0.0.1", true);
        PageRequest request = new PageRequest(
                page,
                Map.of("name", "mails", "show", show),
                Map.of(),
                who,
                json,
                false,
                "secret",
                Optional.empty(),
                Optional.empty());
        assertThat(pages.get(request).body())
                .contains(List.of(texts.split("(?= (?:see|no) )")).stream()
                        .map(String::strip)
                        .toList())
                .contains("password=***")
                .doesNotContain(SECRET);
    }
}
