package dev.dibs.cli.once;

import dev.dibs.cli.terminal.TextTable;
import dev.dibs.once.OnceInfo;
import dev.dibs.text.OneLine;
import dev.dibs.text.Words;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Work that is done once a period, for people. */
final class OncesText {

    private static final String NONE = "-";

    private OncesText() {}

    static List<String> table(List<OnceInfo> onces) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "STATE", "LAST SUCCESS", "TOOK", "HOLDER", "FAILURES", "LAST FAILURE", "ERROR"));
        onces.forEach(once -> rows.add(cells(once)));
        return TextTable.lines(rows);
    }

    private static List<String> cells(OnceInfo once) {
        return List.of(
                OneLine.escape(once.name()),
                Words.state(once),
                time(once.lastSuccess()),
                once.lastDuration().map(took -> took.toMillis() + " ms").orElse(NONE),
                OneLine.escape(once.holder()),
                Long.toString(once.failures()),
                time(once.lastFailure()),
                once.error().isEmpty() ? NONE : OneLine.escape(once.error()));
    }

    private static String time(Optional<Instant> instant) {
        return instant.map(Words::time).orElse(NONE);
    }
}
