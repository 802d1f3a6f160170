package dev.dibs.cli;

import dev.dibs.LockInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Locks for people: aligned columns, a line a lock. */
final class LocksTable {

    private LocksTable() {}

    static String of(List<LockInfo> locks) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "HOLDER", "FENCE", "SINCE", "UNTIL"));
        locks.forEach(lock -> rows.add(cells(lock)));
        return TextTable.of(rows);
    }

    private static List<String> cells(LockInfo lock) {
        return List.of(
                OneLine.escape(lock.name()),
                OneLine.escape(lock.holder()),
                Long.toString(lock.fence()),
                time(lock.since()),
                time(lock.until()));
    }

    /** UTC, as the Z tells. */
    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
