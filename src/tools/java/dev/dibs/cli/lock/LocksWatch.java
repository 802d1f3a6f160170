package dev.dibs.cli.lock;

import dev.dibs.LeaseInfo;
import dev.dibs.cli.terminal.LiveOutput;
import dev.dibs.text.LocksJson;
import dev.dibs.text.OneLine;
import dev.dibs.text.Words;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Shows the holders until it is interrupted: in place on a terminal, else a line for each change. */
final class LocksWatch {

    private static final long EVERY = Duration.ofSeconds(1).toNanos();

    private final PrintWriter out;
    private final boolean json;
    private final boolean inPlace;
    private final LiveOutput block;
    private Map<String, LeaseInfo> before = Map.of();
    private boolean started;

    LocksWatch(PrintWriter out, boolean json, boolean terminal) {
        this.out = out;
        this.json = json;
        this.inPlace = terminal && !json;
        this.block = new LiveOutput(out);
    }

    void follow(Supplier<List<LeaseInfo>> question) {
        while (!Thread.currentThread().isInterrupted()) {
            show(question.get());
            LockSupport.parkNanos(EVERY);
        }
    }

    void show(List<LeaseInfo> holders) {
        if (inPlace) {
            block.draw(LocksTable.of(holders).lines().toList());
            return;
        }
        // A renewal changes only the end of a lease.
        Map<String, LeaseInfo> now = new LinkedHashMap<>();
        holders.forEach(lock -> now.put(lock.kind() + " " + lock.fencingToken() + " " + lock.name(), lock));
        if (json) {
            if (!started || !now.keySet().equals(before.keySet())) {
                out.println(LocksJson.line(holders));
            }
        } else {
            before.forEach((key, lock) -> print(now.containsKey(key), "released ", lock));
            now.forEach((key, lock) -> print(before.containsKey(key), "acquired ", lock));
        }
        started = true;
        before = now;
    }

    private void print(boolean unchanged, String what, LeaseInfo lock) {
        if (!unchanged) {
            out.println(what + OneLine.escape(lock.name()) + " " + Words.kind(lock) + " "
                    + OneLine.escape(lock.holder()) + " " + lock.fencingToken() + " " + Words.time(lock.since()));
        }
    }
}
