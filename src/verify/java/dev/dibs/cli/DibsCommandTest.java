package dev.dibs.cli;

import static org.awaitility.Awaitility.await;

import dev.dibs.database.FullTest;
import dev.dibs.junit.Closing;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command as users run it: processes that share the database in a home directory. */
@Tag("process")
@Timeout(300)
class DibsCommandTest extends Closing {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path home;

    private ChildJvm dibs(String... arguments) {
        return ChildJvm.start(List.of(), environment(home), Main.class, arguments);
    }

    /** The only database is that of the home. */
    static Map<String, String> environment(Path home) {
        return Map.of("HOME", home.toString(), "DIBS_URL", "", "DIBS_USER", "", "DIBS_PASSWORD", "");
    }

    private ChildJvm lock(String name, String script) throws InterruptedException {
        return held(dibs("lock", name, "--holder", "me", "--", "sh", "-c", script));
    }

    private static ChildJvm held(ChildJvm holder) throws InterruptedException {
        holder.awaitLine("held"::equals, PATIENCE);
        return holder;
    }

    @Test
    void runsACommandAndReturnsItsExitCode() throws Exception {
        try (ChildJvm command =
                dibs("lock", "a", "--", "sh", "-c", "echo \"$DIBS_NAME $DIBS_FENCE $*\"; exit 7", "sh", "--", "@x")) {
            assertThat(command.exitCode(PATIENCE)).isEqualTo(7);
            assertThat(command.awaitLine(line -> true, PATIENCE)).matches("a [0-9]{16} -- @x");
        }
        assertThat(Files.getPosixFilePermissions(home.resolve(".dibs")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void opensItsOwnDatabaseAsTheDoctorAdvises() throws Exception {
        ChildJvm doctor = closing(dibs("doctor"));
        doctor.exitCode(PATIENCE);
        assertThat(doctor.lines())
                .anyMatch(line -> line.startsWith("OK"))
                .noneMatch(line -> line.startsWith("WARNING"));
    }

    @FullTest
    void anUnknownCommandIsReported() throws Exception {
        ChildJvm missing = closing(dibs("lock", "a", "--", "no-such-command"));
        assertThat(missing.exitCode(PATIENCE)).isEqualTo(127);
        assertThat(missing.lines()).containsExactly("dibs: there is no command 'no-such-command'");
    }

    @FullTest
    void aFileThatCannotRunIsReported() throws Exception {
        Path notExecutable = Files.writeString(home.resolve("text"), "no command");
        ChildJvm text = closing(dibs("lock", "b", "--", notExecutable.toString()));
        assertThat(text.exitCode(PATIENCE)).isEqualTo(126);
        assertThat(text.lines()).containsExactly("dibs: '" + notExecutable + "' cannot be run: Permission denied");
    }

    @FullTest
    void doesNotRunWhileAnotherProcessHoldsTheLock() throws Exception {
        ChildJvm holder = closing(lock("a", "echo held; read line; echo heard $line; kill -9 $$"));
        ChildJvm refused = closing(dibs("lock", "a", "--", "echo", "company"));
        ChildJvm waiting = closing(dibs("lock", "a", "--wait", "2m", "--", "echo", "alone"));
        assertThat(refused.exitCode(PATIENCE)).isEqualTo(75);
        assertThat(refused.lines())
                .singleElement()
                .asString()
                .startsWith("dibs: not acquired: 'a' is held by me since ");
        holder.send("you");
        holder.awaitLine("heard you"::equals, PATIENCE);
        assertThat(holder.exitCode(PATIENCE)).isEqualTo(128 + 9);
        assertThat(waiting.exitCode(PATIENCE)).isZero();
        assertThat(waiting.lines()).containsExactly("alone");
    }

    @FullTest
    void endsTheCommandWhenTheLeaseIsLost() throws Exception {
        String stubborn =
                "trap '' TERM; sh -c 'echo child $$; sleep 300; :' & echo held; while :; do wait; sleep 1; done";
        ChildJvm holder = closing(dibs("lock", "a", "--lease", "9s", "--grace", "200ms", "--", "sh", "-c", stubborn));
        String child = holder.awaitLine(line -> line.startsWith("child "), PATIENCE);
        try (ChildJvm breaker = dibs("break", "a")) {
            assertThat(breaker.exitCode(PATIENCE)).isZero();
            assertThat(breaker.lines()).singleElement().asString().startsWith("broken: 'a' was held by ");
        }
        assertThat(holder.exitCode(PATIENCE)).isEqualTo(76);
        assertThat(holder.lines())
                .anyMatch(line -> line.startsWith("dibs: the lease on 'a'") && line.endsWith("; ending the command"));
        await().until(() -> !runs(Long.parseLong(child.substring(6))));
    }

    /** A zombie has ended, whether or not its new parent has waited for it. */
    private static boolean runs(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        try {
            return Files.readAllLines(status).stream().noneMatch(line -> line.startsWith("State:\tZ"));
        } catch (IOException e) {
            return ProcessHandle.of(pid).isPresent();
        }
    }

    @FullTest
    void passesSignalsOn() throws Exception {
        String polite = "trap 'echo bye; exit 9' TERM; trap 'echo again' HUP; trap 'echo once more' USR1;"
                + " trap 'echo for the last time' USR2; echo held; while :; do sleep 0.05; done";
        try (ChildJvm holder = lock("a", polite);
                ChildJvm waiting = dibs("lock", "a", "--wait", "5m", "--", "echo", "never")) {
            Shell.signal("HUP", holder.pid());
            if (!isHangupIgnored()) {
                holder.awaitLine("again"::equals, PATIENCE);
            }
            Shell.signal("USR1", holder.pid());
            holder.awaitLine("once more"::equals, PATIENCE);
            Shell.signal("USR2", holder.pid());
            holder.awaitLine("for the last time"::equals, PATIENCE);
            awaitSignalHandling(waiting);
            Shell.signal("TERM", waiting.pid());
            assertThat(waiting.exitCode(PATIENCE)).isEqualTo(128 + 15);
            Shell.signal("TERM", holder.pid());
            assertThat(holder.exitCode(PATIENCE)).isEqualTo(9);
            assertThat(holder.lines()).contains("bye");
        }
        ChildJvm locks = closing(dibs("locks", "--json"));
        assertThat(locks.exitCode(PATIENCE)).isZero();
        assertThat(locks.lines()).containsExactly("[]");
    }

    /** Unlike TERM, these would crash the JVM, or end it before it could clean up. */
    @FullTest
    void endsInOrderAtASignalThatTheJvmKeepsForItself() throws Exception {
        for (String signal : List.of("USR1", "USR2")) {
            try (ChildJvm console = dibs("console", "--port", "0")) {
                console.awaitLine(line -> line.contains("login?token="), PATIENCE);
                Shell.signal(signal, console.pid());
                assertThat(console.exitCode(PATIENCE)).isEqualTo(128 + (signal.equals("USR1") ? 10 : 12));
                assertThat(console.lines()).hasSize(2);
            }
        }
    }

    /** As under nohup: then no child process gets the signal, neither ours nor the command. */
    private static boolean isHangupIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream().anyMatch(line -> line.matches("SigIgn:\\s*[0-9a-f]+[13579bdf]"));
    }

    /** Before, the JVM ends with the same exit code by itself. */
    private static void awaitSignalHandling(ChildJvm waiting) throws InterruptedException {
        Thread.sleep(1_000);
        assertThat(waiting.isAlive()).isTrue();
    }

    @FullTest
    void goesOnWhenTheProcessThatHostsTheDatabaseIsKilled() throws Exception {
        ChildJvm host = closing(held(dibs("lock", "a", "--lease", "5m", "--", "sh", "-c", "echo held; read line")));
        ChildJvm other = closing(
                held(dibs("lock", "b", "--lease", "5m", "--", "sh", "-c", "echo held; read line; echo heard $line")));
        host.kill();
        try (ChildJvm next = dibs("locks")) {
            assertThat(next.exitCode(PATIENCE)).isZero();
            assertThat(next.lines()).hasSize(3);
        }
        other.send("you");
        assertThat(other.exitCode(PATIENCE)).isZero();
        assertThat(other.lines()).containsExactly("held", "heard you");
    }
}
