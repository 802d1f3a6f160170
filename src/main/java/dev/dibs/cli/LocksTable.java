package dev.dibs.cli;

import dev.dibs.HolderInfo;
import dev.dibs.LockInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Holders for people: aligned columns, a line each. */
final class LocksTable {

    private LocksTable() {}

    static String of(List<HolderInfo> holders) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "KIND", "HOLDER", "FENCE", "SINCE", "UNTIL"));
        holders.forEach(holder -> rows.add(cells(holder)));
        return TextTable.of(rows);
    }

    private static List<String> cells(HolderInfo holder) {
        LockInfo lock = holder.lock();
        return List.of(
                OneLine.escape(lock.name()),
                kind(holder),
                OneLine.escape(lock.holder()),
                Long.toString(lock.fence()),
                time(lock.since()),
                time(lock.until()));
    }

    /** One word. */
    static String kind(HolderInfo holder) {
        return holder.kind().name().toLowerCase(Locale.ROOT);
    }

    /** UTC, as the Z tells. */
    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
