package dev.dibs.cli.lock;

import dev.dibs.LeaseInfo;
import dev.dibs.cli.terminal.TextTable;
import dev.dibs.text.OneLine;
import dev.dibs.text.Words;
import java.util.ArrayList;
import java.util.List;

/** Holders for people: aligned columns, one line each. */
final class LocksTable {

    private LocksTable() {}

    static String of(List<LeaseInfo> holders) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "KIND", "HOLDER", "FENCE", "SINCE", "UNTIL"));
        holders.forEach(holder -> rows.add(cells(holder)));
        return TextTable.of(rows);
    }

    private static List<String> cells(LeaseInfo lock) {
        return List.of(
                OneLine.escape(lock.name()),
                Words.kind(lock),
                OneLine.escape(lock.holder()),
                Long.toString(lock.fencingToken()),
                Words.time(lock.since()),
                Words.time(lock.until()));
    }
}
