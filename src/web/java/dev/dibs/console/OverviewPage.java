package dev.dibs.console;

import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is stuck, its holder, since when, and what to press. */
@JStache(path = "overview")
record OverviewPage(Frame frame, List<Row> rows, List<Count> counts) {

    /** Whether there is nothing to do. A note, such as a leader that has led for long, does not count as stuck. */
    boolean fine() {
        return rows.stream().allMatch(row -> row.style().equals("note"));
    }

    /** One trouble. */
    record Row(
            String key,
            String level,
            String style,
            String what,
            String name,
            String href,
            String message,
            Optional<When> since,
            String press) {}

    /** A number of things of one kind, with a link to them. */
    record Count(String href, String number, String label) {

        static Count of(String href, int number, String one, String many) {
            return new Count(href, Integer.toString(number), number == 1 ? one : many);
        }
    }

    static List<Row> rows(List<Trouble> troubles, Instant now) {
        return troubles.stream().map(trouble -> row(trouble, now)).toList();
    }

    private static Row row(Trouble trouble, Instant now) {
        String level = trouble.level().name();
        return new Row(
                Format.query(trouble.what() + ":" + trouble.level() + ":" + trouble.name()),
                level.charAt(0) + level.substring(1).toLowerCase(java.util.Locale.ROOT),
                level.toLowerCase(java.util.Locale.ROOT),
                trouble.what(),
                Format.text(trouble.name()),
                href(trouble),
                Format.message(trouble.message()),
                trouble.since().map(time -> Format.when(time, now)),
                trouble.press());
    }

    private static String href(Trouble trouble) {
        String name = Format.query(trouble.name());
        return switch (trouble.what()) {
            case "run" -> "run?name=" + name;
            case "once" -> "onces?q=" + name;
            case "lock", "permit", "writer", "reader" -> "locks?q=" + name;
            default -> "health";
        };
    }
}
