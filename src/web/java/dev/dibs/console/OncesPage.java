package dev.dibs.console;

import dev.dibs.once.OnceInfo;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Work that is done once a period. */
@JStache(path = "onces")
record OncesPage(Frame frame, String query, Pagination<Row> part) {

    /** One once-guard. */
    record Row(
            String key,
            String name,
            String state,
            String style,
            String holder,
            Optional<When> success,
            Optional<String> took,
            String failures,
            Optional<When> failure,
            Optional<String> error,
            Optional<When> retry,
            boolean buttons,
            String again) {}

    static List<OnceInfo> chosen(List<OnceInfo> all, PageRequest pageRequest) {
        String text = pageRequest.param("q").toLowerCase(java.util.Locale.ROOT);
        return all.stream()
                .filter(once -> LocksPage.contains(once.name(), text))
                .toList();
    }

    static Row row(OnceInfo once, boolean buttons, Instant now) {
        String state = Words.state(once);
        return new Row(
                Format.query(once.name()),
                Format.text(once.name()),
                state,
                state.equals("failed") ? "error" : state.equals("running") ? "good" : "note",
                Format.text(once.holder()),
                once.lastSuccess().map(time -> Format.when(time, now)),
                once.lastDuration().map(Format::duration),
                Long.toString(once.failures()),
                once.lastFailure().map(time -> Format.when(time, now)),
                once.error().isEmpty() ? Optional.empty() : Optional.of(Format.message(once.error())),
                once.retryAt().map(time -> Format.when(time, now)),
                buttons,
                "again?name=" + Format.query(once.name()));
    }
}
