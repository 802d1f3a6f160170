package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.dibs.database.FullTest;
import dev.dibs.pages.Page;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The programs of docs/situations print what their pages say. */
@Tag("flow")
@Timeout(600)
class SituationsTest {

    @TempDir
    private Path folder;

    private PageProgram program(String page) {
        return program(page, code -> code);
    }

    private PageProgram program(String page, UnaryOperator<String> change) {
        return new PageProgram(page, folder, code -> change.apply(code).replace("./demo", folder + "/demo"));
    }

    @Test
    void oneNodeRunsTheNightlyJob() throws Exception {
        PageProgram program = program("nightly-job");
        program.expect(0, program.start());
        program.expect(1, program.start());
        program.expect(1, program.start());
    }

    @Test
    void oneDeviceOfACustomerAtATime() throws Exception {
        PageProgram program = program("one-at-a-time");
        PageNode first = program.start("42").awaitLine("syncing 42");
        PageNode second = program.start("42");
        program.expect(2, program.start("43"));
        program.expect(1, second);
        program.expect(0, first);
    }

    @Test
    void eachMailIsSentByOneWorker() throws Exception {
        PageProgram program = program("queue-in-my-table");
        program.expect(0, program.start());
        assertThat(program.start().output()).containsExactly("0 left");
    }

    /** The page's program with the line that its last block adds. */
    @Test
    void eachAddressHasOneMailAtATime() throws Exception {
        String line = block("queue-in-my-table", "java", 3);
        PageProgram program =
                program("queue-in-my-table", code -> code.replace(".orderBy(\"id\")", ".orderBy(\"id\")" + line));
        assertThat(program.start().output())
                .containsExactlyInAnyOrder("sending to ann@example.org", "sending to bob@example.org", "1 left");
        assertThat(program.start().output()).containsExactly("sending to ann@example.org", "0 left");
    }

    @Test
    void oneVisitorMakesTheList() throws Exception {
        PageProgram program = program("old-list");
        program.expect(0, program.start());
    }

    @FullTest
    void aMigrationOver50000RowsLeavesOneDeadRow() throws Exception {
        PageProgram program = program("migrate-50000-rows");
        program.expect(0, program.start());
    }

    @Test
    void aTokenIsGoodOnce() throws Exception {
        PageProgram program = program("good-once");
        program.expect(0, program.start());
    }

    @Test
    void oneWindowOfTheDesktopImports() throws Exception {
        PageProgram program = program("desktop-application");
        PageNode first = program.start().awaitLine("importing");
        program.expect(1, program.start());
        program.expect(0, first);
    }

    /** JUnit runs the page's tests within this one, without what this project has added to it. */
    @Test
    void theTestsOfThePagePass() throws Exception {
        PageProgram program = program("tests-without-server");
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (URLClassLoader loader = program.loader()) {
            LauncherConfig alone = LauncherConfig.builder()
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .enableTestExecutionListenerAutoRegistration(false)
                    .build();
            LauncherFactory.create(alone)
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(loader.loadClass(program.type())))
                                    .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                    .build(),
                            summary);
        }
        assertThat(summary.getSummary().getFailures()).isEmpty();
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
    }

    @Test
    void javaAndPythonShareATable() throws Exception {
        PageProgram program = program("several-languages");
        program.expect(0, program.start());
        String python = program.block("python").replace("./demo", folder + "/demo");
        Path script = Files.writeString(folder.resolve("mails.py"), python);
        Files.copy(Path.of("clients", "python", "dibs.py"), folder.resolve("dibs.py"));
        assumeThat(Scripts.run(folder, "python3", "-c", "import sys; assert sys.version_info >= (3, 11)")
                        .isOk())
                .as("there is a Python 3.11 or newer")
                .isTrue();
        Scripts.Result result = Scripts.run(folder, "python3", script.toString());
        assertThat(result.output()).isEqualTo(program.output(1));
    }

    /** Two nodes at once and a program in PHP give the same answer. */
    @Test
    void aRequestThatComesTwiceIsAnsweredOnce() throws Exception {
        PageProgram program = program("a-request-that-comes-twice");
        // As the page says, one has made the file before. SQLite does not wait for another one that sets the mode of a
        // new file.
        DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("demo.db") + "?journal_mode=WAL")
                .close();
        PageNode first = program.start();
        PageNode second = program.start();
        program.expect(0, first);
        program.expect(0, second);
        List<String> answers = first.output();
        assertThat(answers.get(1)).isEqualTo(answers.get(0));
        assertThat(second.output()).isEqualTo(answers);

        assumeThat(Scripts.run(folder, "php", "-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);")
                        .isOk())
                .as("there is a PHP with pdo_sqlite")
                .isTrue();
        for (String file : List.of("Dibs.php", "statements.php")) {
            Files.copy(Path.of("clients", "php", file), folder.resolve(file));
        }
        String php = "<?php\n" + program.block("php").replace("./demo", folder + "/demo");
        Path script = Files.writeString(folder.resolve("payment.php"), php);
        assertThat(Scripts.run(folder, "php", script.toString()).output()).isEqualTo(answers.get(0) + "\n");
    }

    /** The commands of the pages, in a shell that has dibs. */
    @FullTest
    void theCommandsOfThePagesWork() throws Exception {
        program("migrate-50000-rows").start().output();
        Scripts.Result run = Scripts.withDibs(folder, sh("migrate-50000-rows").replace("--watch", ""));
        assertThat(run.isOk()).as(run.output()).isTrue();
        assertThat(run.output()).contains("incomplete", "'resize-2026' is paused", "4711", "not an image");
        Scripts.Result lock = Scripts.withDibs(folder, sh("several-languages"));
        assertThat(lock.isOk()).as(lock.output()).isTrue();
        assertThat(lock.output()).endsWith("exporting\n");
    }

    private static String sh(String page) {
        return block(page, "sh", 0);
    }

    private static String block(String page, String language, int number) {
        return Page.of("docs", "situations", page + ".md")
                .blocks(language)
                .get(number)
                .code();
    }
}
