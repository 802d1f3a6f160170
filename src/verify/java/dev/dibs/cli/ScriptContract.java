package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.cli.process.Processes;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullRunCondition;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock over several steps of a script, with real shells. */
@OnEachDatabase(PostgresDatabase.class)
@Tag("process")
@Timeout(300)
class ScriptContract implements DatabaseUser {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    @BeforeEach
    void makeTheTablesAndTheCommand() throws IOException {
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        cli.ok("init", "--only", "locks");
        Path command = Files.writeString(
                folder.resolve("dibs"), """
                    #!/bin/sh
                    exec '%s' "$@"
                    """.formatted(String.join("' '", ChildJvm.command(Main.class))));
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
    }

    private String fresh(String name) {
        return name + "-" + System.nanoTime();
    }

    private Process start(String shell, String script) throws IOException {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/bin", shell)) || Files.exists(Path.of("/usr/bin", shell)),
                "there is no " + shell);
        ProcessBuilder builder = new ProcessBuilder(shell, "-c", script).redirectErrorStream(true);
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        builder.environment().put("TMPDIR", folder.toString());
        builder.environment().put("DIBS_URL", database.url());
        builder.environment().put("DIBS_USER", database.user());
        builder.environment().put("DIBS_PASSWORD", database.password());
        return builder.start();
    }

    private static List<String> lines(Process process) throws IOException, InterruptedException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return said.lines().toList();
    }

    private Optional<LeaseInfo> holder(String name) {
        try (Dibs dibs = Dibs.on(database.dataSource())) {
            return dibs.admin().locks().stream()
                    .filter(lock -> lock.name().equals(name))
                    .findFirst();
        }
    }

    private void awaitHeld(String name, boolean held) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(holder(name).isPresent()).isEqualTo(held));
    }

    private long keeper(String name) {
        String label = holder(name).orElseThrow().holder();
        return Long.parseLong(label.substring(label.lastIndexOf(':') + 1));
    }

    /** Each step is a JVM: one shell is enough to find a regression. */
    private static List<String> shells() {
        return FullRunCondition.isFullFor(ScriptContract.class) ? List.of("bash", "dash") : List.of("dash");
    }

    @ParameterizedTest
    @MethodSource("shells")
    @Tag("slow")
    void aScriptHoldsALockOverSeveralSteps(String shell) throws Exception {
        String name = fresh("it's \"$HOME\" `id`");
        Process script = start(shell, "name=$1; ".replace("$1", "'" + name.replace("'", "'\\''") + "'") + """
            eval "$(dibs hold "$name")" || exit
            test "$DIBS_NAME" = "$name" || echo "wrong name $DIBS_NAME"
            dibs check; echo "check $?"
            dibs lock "$name" -- echo never; echo "busy $?"
            dibs release; echo "release $?"
            dibs lock "$name" -- echo free
            dibs check; echo "check $?"
            dibs release; echo "release $?"
            """);
        assertThat(lines(script).stream().filter(line -> !line.startsWith("dibs: ")))
                .containsExactly("check 0", "busy 75", "release 0", "free", "check 76", "release 76");
        assertThat(folder.toFile().list()).containsExactly("dibs");
    }

    @Test
    void aBusyLockEndsTheScript() throws Exception {
        String name = fresh("busy");
        try (Dibs dibs = Dibs.on(database.dataSource())) {
            assertThat(dibs.lock(name).tryAcquire()).isPresent();
            Process script = start("dash", "eval \"$(dibs hold " + name + ")\" || exit; echo never");
            assertThat(lines(script)).singleElement().asString().startsWith("dibs: not acquired: '" + name);
            assertThat(script.exitValue()).isEqualTo(75);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    @FullRun
    void aKilledShellReleasesTheLock(String shell) throws Exception {
        String name = fresh("killed");
        Process script = start(shell, "eval \"$(dibs hold " + name + " --lease 10m)\" || exit; echo held; sleep 600");
        assertThat(script.inputReader().readLine()).isEqualTo("held");
        assertThat(holder(name)).isPresent();
        List<ProcessHandle> steps = script.descendants().toList();
        script.destroyForcibly();
        awaitHeld(name, false);
        steps.forEach(ProcessHandle::destroyForcibly);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(folder.toFile().list()).containsExactly("dibs"));
    }

    @FullTest
    void theEndOfTheShellReleasesTheLockOfAHelper() throws Exception {
        String name = fresh("helper");
        Process script = start(
                "bash",
                "held() { dibs hold \"$@\"; true; }; eval \"$(held " + name
                        + " --lease 10m)\"; echo held; read -r line");
        assertThat(script.inputReader().readLine()).isEqualTo("held");
        TimeUnit.SECONDS.sleep(1);
        assertThat(holder(name)).as("the function's process has ended").isPresent();
        script.getOutputStream().close();
        awaitHeld(name, false);
    }

    @FullTest
    void aKilledKeeperIsNoticedByACheck() throws Exception {
        String name = fresh("keeper");
        Process script = start(
                "dash",
                "eval \"$(dibs hold " + name + " --lease 10m)\" || exit; echo held; read -r line;"
                        + " dibs check; echo \"check $?\"; dibs release; echo \"release $?\"");
        assertThat(script.inputReader().readLine()).isEqualTo("held");
        ProcessHandle keeper = ProcessHandle.of(keeper(name)).orElseThrow();
        assertThat(keeper.destroyForcibly()).isTrue();
        await().atMost(PATIENCE).until(() -> Processes.hasEnded(keeper));
        script.getOutputStream().close();
        assertThat(script.inputReader().lines().filter(line -> !line.startsWith("dibs: ")))
                .containsExactly("check 76", "release 76");
        assertThat(folder.toFile().list()).containsExactly("dibs");
    }

    @FullTest
    void aLostLeaseEndsTheScriptAndItsSteps() throws Exception {
        String name = fresh("lost");
        Process script = start(
                "bash",
                "eval \"$(dibs hold " + name + " --lease 9s --grace 300ms)\" || exit; trap '' TERM; echo held;"
                        + " while :; do sleep 1; done");
        assertThat(script.inputReader().readLine()).isEqualTo("held");
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        cli.ok("break", name);
        assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(script.exitValue()).isEqualTo(128 + 9);
        assertThat(script.inputReader().readLine())
                .startsWith("dibs: the lease on '" + name + "'")
                .endsWith("; ending the script");
        assertThat(script.descendants()).isEmpty();
    }

    @FullTest
    void ctrlCEndsNoKeeper() throws Exception {
        String name = fresh("interrupt");
        Process script = start(
                "bash", "trap '' INT; eval \"$(dibs hold " + name + ")\" || exit; echo held; read -r line; dibs check");
        assertThat(script.inputReader().readLine()).isEqualTo("held");
        long keeper = keeper(name);
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(keeper))
                        .start()
                        .waitFor())
                .isZero();
        TimeUnit.MILLISECONDS.sleep(300);
        script.getOutputStream().close();
        assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(script.exitValue()).isZero();
        awaitHeld(name, false);
    }
}
