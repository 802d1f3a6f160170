package dev.dibs.cli.lock;

import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.cli.process.ProcessTree;
import dev.dibs.cli.process.Processes;
import dev.dibs.cli.process.SignalRelay;
import dev.dibs.cli.verb.ExitCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Keeps a lock for a script, as long as its shell lives. */
final class ScriptLockKeeper implements AutoCloseable {

    private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

    /** How long a shell may take to evaluate the code, if the process that had asked for the lock has ended. */
    private static final Duration TAKEOVER = Duration.ofSeconds(10);

    private final ScriptLockFolder folder;
    private final Duration grace;
    private final SignalRelay signals;
    private final Consumer<String> warn;
    private final Optional<ProcessHandle> starter = ProcessHandle.current().parent();
    private final Optional<ProcessHandle> starterOfStarter = starter.flatMap(ProcessHandle::parent);
    private final Thread untilAcquired;

    /**
     * Watches the process that waits for the lock from now on.
     *
     * @param grace the time between TERM and KILL if the lease is lost
     */
    ScriptLockKeeper(ScriptLockFolder folder, Duration grace, SignalRelay signals, Consumer<String> warn) {
        this.folder = folder;
        this.grace = grace;
        this.signals = signals;
        this.warn = warn;
        Thread waiting = Thread.currentThread();
        untilAcquired = new Thread(() -> interruptIfUnwanted(waiting), "dibs-keeper");
        untilAcquired.setDaemon(true);
        untilAcquired.start();
    }

    /** Nobody wants the lock any more if the process that asked for it has ended before it got an answer. */
    private void interruptIfUnwanted(Thread waiting) {
        while (!Thread.currentThread().isInterrupted()) {
            if (starter.isEmpty() || Processes.hasEnded(starter.get())) {
                waiting.interrupt();
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** From now on the process that asked for the lock may end. */
    void acquired() {
        close();
        Thread.interrupted();
    }

    /** Returns when the shell has ended, a signal has come, or the lease is lost. */
    int keep(Lease lease) {
        CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        ProcessHandle shell = starterOfStarter.orElse(null);
        boolean taken = false;
        long lastSeen = System.nanoTime();
        while (signals.received().isEmpty()) {
            if (!taken) {
                Optional<Long> taker = folder.shell();
                taken = taker.isPresent();
                shell = taker.map(number -> ProcessHandle.of(number).orElse(null))
                        .orElse(taken ? null : shell);
            }
            if (shell != null && !Processes.hasEnded(shell)) {
                lastSeen = System.nanoTime();
            } else if (taken || System.nanoTime() - lastSeen > TAKEOVER.toNanos()) {
                return ExitCode.OK;
            }
            if (lost.isDone()) {
                String why = lost.join().getMessage();
                warn.accept(why + "; ending the script");
                folder.lost(why);
                if (shell != null) {
                    new ProcessTree(shell).end(grace);
                }
                return ExitCode.LEASE_LOST;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return ExitCode.OK;
    }

    @Override
    public void close() {
        untilAcquired.interrupt();
        try {
            untilAcquired.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
