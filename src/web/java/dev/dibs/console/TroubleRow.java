package dev.dibs.console;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A trouble on a page, with the button that mends it.
 *
 * @param href the page of the thing; empty on that page itself
 * @param post the button that mends it at once
 * @param ask the button that asks first
 */
record TroubleRow(
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
    static TroubleRow linked(Trouble trouble, boolean buttons, Instant now) {
        return of(trouble, Optional.of(href(trouble)), buttons, Optional.empty(), now);
    }

    /** A row of the page of the thing itself. */
    static TroubleRow here(Trouble trouble, boolean buttons, Instant now) {
        return of(trouble, Optional.empty(), buttons, Optional.of("Why resume?"), now);
    }

    private static TroubleRow of(
            Trouble trouble, Optional<String> href, boolean buttons, Optional<String> why, Instant now) {
        String level = trouble.level().name();
        String name = Format.query(trouble.name());
        Optional<Post> post = switch (trouble.mend()) {
            case RESUME -> Optional.of(new Post("resume?name=" + name, "Resume", why));
            case RETRY -> Optional.of(new Post("retry?name=" + name, "Retry dead rows", Optional.empty()));
            default -> Optional.empty();
        };
        Optional<Ask> ask = switch (trouble.mend()) {
            case AGAIN -> Optional.of(new Ask("again?name=" + name, "Run again…"));
            case BREAK -> Optional.of(new Ask("break?kind=" + trouble.what() + "&name=" + name, "Break…"));
            default -> Optional.empty();
        };
        return new TroubleRow(
                Format.query(trouble.what() + ":" + trouble.level() + ":" + trouble.name()),
                level.charAt(0) + level.substring(1).toLowerCase(Locale.ROOT),
                level.toLowerCase(Locale.ROOT),
                trouble.what(),
                Format.text(trouble.name()),
                href,
                Format.message(trouble.message()),
                trouble.since().map(time -> Format.when(time, now)),
                trouble.press(),
                post.filter(button -> buttons),
                ask.filter(button -> buttons));
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
