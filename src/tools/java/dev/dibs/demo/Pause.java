package dev.dibs.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A paused process, as if its machine were suspended.
 *
 * <p>The signals come from a small shell that waits in between on a pipe from here. If this process is killed, the pipe ends. The paused
 * process is then continued and sees that it is alone.
 */
final class Pause implements AutoCloseable {

    private static final String STOP_AND_CONTINUE =
            "trap '' HUP INT TERM; kill -STOP \"$1\" && echo stopped; read -r line; kill -CONT \"$1\"";
    private static final long PATIENCE_SECONDS = 5;

    private final Process shell;

    private Pause(Process shell) {
        this.shell = shell;
    }

    /** Whether there are a shell and a {@code kill} here; Windows has none. */
    static boolean isPossible() {
        try {
            Process process = new ProcessBuilder("sh", "-c", "kill -0 $$").start();
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Stops it; returns when it has stopped. */
    static Pause of(long pid) throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", STOP_AND_CONTINUE, "pause", Long.toString(pid)).start();
        BufferedReader said = shell.inputReader(StandardCharsets.US_ASCII);
        if (!"stopped".equals(said.readLine())) {
            shell.destroy();
            throw new IOException("process " + pid + " could not be paused");
        }
        return new Pause(shell);
    }

    /** Continues it. */
    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        shell.onExit().join();
    }
}
