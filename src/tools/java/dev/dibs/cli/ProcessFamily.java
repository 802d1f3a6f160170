package dev.dibs.cli;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** A process and its descendants, to be ended together. */
final class ProcessFamily {

    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    /** A killed process is gone at once, unless the system is in the middle of something for it. */
    private static final Duration DEATH = Duration.ofSeconds(5);

    /** Remembered, since those whose parent has ended are nobody's descendants any more. */
    private final Set<ProcessHandle> members = new LinkedHashSet<>();

    ProcessFamily(ProcessHandle process) {
        members.add(process);
    }

    /** Sends TERM to all, and KILL to those that are left after the grace. Returns when all have ended. */
    void end(Duration grace) {
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
        return members.stream().filter(ProcessHandle::isAlive).toList();
    }
}
