package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.runs.RunStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A console in a container, and a run with dead rows. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InContainer {

    Stage stage;
    ConsoleServer server;

    @BeforeAll
    final void start(@TempDir Path directory) throws Exception {
        stage = new Stage();
        stage.jobs(40);
        stage.work("mails", List.of(3L, 4L), "no route to host; password=hunter22");
        stage.dibs().tokens("password-reset").issue("somebody", Duration.ofMinutes(5));
        // A minute passes with each look at the clock, so that every page is up to date.
        AtomicLong clock = new AtomicLong();
        DibsConsole console = new DibsConsole(
                HttpServletRequest::isUserInRole,
                stage.dibs(),
                () -> clock.addAndGet(Duration.ofMinutes(1).toNanos()),
                Duration.ofMinutes(1));
        server = new ConsoleServer(directory, "/app", "/console/*", console, true);
    }

    @AfterAll
    final void stop() throws Exception {
        server.close();
        stage.close();
    }

    final Browser as(String user) {
        return new Browser(server.url() + "/app/console/", user);
    }

    /** The addresses of all pages, and of one run. */
    final List<String> pages() {
        List<String> pages = new ArrayList<>(EveryPage.linked(as("viewer").page("")));
        assertThat(pages).startsWith("", "locks").hasSizeGreaterThan(5);
        pages.add("run?name=mails");
        return pages;
    }

    final RunStatus run() {
        return stage.dibs().run("mails").status().orElseThrow();
    }
}
