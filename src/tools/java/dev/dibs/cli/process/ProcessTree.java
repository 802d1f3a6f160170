package dev.dibs.cli.process;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** A process and its descendants, to be ended together. */
public final class ProcessTree {

    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    /** A killed process ends at once, unless the system is busy with a call of it. */
    private static final Duration DEATH = Duration.ofSeconds(5);

    /** Kept here, since a process whose parent has ended is no descendant any more. */
    private final Set<ProcessHandle> members = new LinkedHashSet<>();

    public ProcessTree(ProcessHandle process) {
        members.add(process);
    }

    /** Sends TERM to all, and after the grace KILL to those that are left. Returns when all have ended. */
    public void end(Duration grace) {
        alive().forEach(ProcessHandle::destroy);
        if (!ended(grace)) {
            alive().forEach(ProcessHandle::destroyForcibly);
            ended(DEATH);
        }
    }

    private boolean ended(Duration patience) {
        long start = System.nanoTime();
        while (!alive().isEmpty()) {
            if (System.nanoTime() - start >= patience.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    private List<ProcessHandle> alive() {
        for (ProcessHandle member : List.copyOf(members)) {
            member.descendants().forEach(members::add);
        }
        return members.stream().filter(member -> !Processes.hasEnded(member)).toList();
    }
}
