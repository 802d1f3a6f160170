package dev.dibs.console;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A problem on a page, with the button that mends it.
 *
 * @param href the page of the thing; empty on that page itself
 * @param post the button that mends it at once
 * @param ask the button that asks first
 */
record ProblemRow(
        String key,
        String level,
        String style,
        String what,
        String name,
        Optional<String> href,
        String message,
        Optional<When> since,
        String press,
        Optional<Post> post,
        Optional<Ask> ask) {

    /** A button of its own form, with a reason if the page has room to type one. */
    record Post(String action, String label, Optional<String> why) {}

    /** A link to the question whether to do it. */
    record Ask(String action, String label) {}

    /** A row of the overview: it has a link, and no field that a reload would empty. */
    static ProblemRow linked(Problem problem, boolean buttons, Instant now) {
        return of(problem, Optional.of(href(problem)), buttons, Optional.empty(), now);
    }

    /** A row of the page of the thing itself. */
    static ProblemRow here(Problem problem, boolean buttons, Instant now) {
        return of(problem, Optional.empty(), buttons, Optional.of("Why resume?"), now);
    }

    private static ProblemRow of(
            Problem problem, Optional<String> href, boolean buttons, Optional<String> why, Instant now) {
        String level = problem.level().name();
        String name = Format.query(problem.name());
        Optional<Post> post = switch (problem.mend()) {
            case RESUME -> Optional.of(new Post("resume?name=" + name, "Resume", why));
            case RETRY -> Optional.of(new Post("retry?name=" + name, "Retry dead rows", Optional.empty()));
            default -> Optional.empty();
        };
        Optional<Ask> ask = switch (problem.mend()) {
            case AGAIN -> Optional.of(new Ask("again?name=" + name, "Run again…"));
            case BREAK -> Optional.of(new Ask("break?kind=" + problem.what() + "&name=" + name, "Break…"));
            default -> Optional.empty();
        };
        return new ProblemRow(
                Format.query(problem.what() + ":" + problem.level() + ":" + problem.name()),
                level.charAt(0) + level.substring(1).toLowerCase(Locale.ROOT),
                level.toLowerCase(Locale.ROOT),
                problem.what(),
                Format.text(problem.name()),
                href,
                Format.message(problem.message()),
                problem.since().map(time -> Format.when(time, now)),
                problem.press(),
                post.filter(button -> buttons),
                ask.filter(button -> buttons));
    }

    private static String href(Problem problem) {
        String name = Format.query(problem.name());
        return switch (problem.what()) {
            case "run" -> "run?name=" + name;
            case "once" -> "onces?q=" + name;
            case "lock", "permit", "writer", "reader" -> "locks?q=" + name;
            default -> "health";
        };
    }
}
