package dev.dibs.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ProcessTreeTest {

    private static final Duration GRACE = Duration.ofMinutes(1);

    /** In a container the first process is often a program that never waits for children that it has inherited. */
    @Test
    void endDoesNotWaitForAZombie() throws Exception {
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc")), "only Linux says that it has ended");
        Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
        try {
            long pid = Long.parseLong(parent.inputReader().readLine());
            ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
            // The shell would ask for its exit code.
            Path program = Path.of("/proc", Long.toString(parent.pid()), "cmdline");
            until(() -> Files.readString(program).startsWith("sleep"));
            child.destroyForcibly();
            until(() -> Processes.hasEnded(child));
            assertThat(child.isAlive()).as("as the JVM sees it").isTrue();

            long start = System.nanoTime();
            new ProcessTree(child).end(GRACE);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(GRACE);
        } finally {
            parent.destroyForcibly();
        }
    }

    private static void until(Callable<Boolean> condition) throws Exception {
        while (!condition.call()) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
