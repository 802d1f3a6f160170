package dev.dibs.console;

import dev.dibs.once.OnceInfo;
import dev.dibs.text.Html;
import dev.dibs.text.OncesJson;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Work that is done once a period. */
final class OncesPage implements Page {

    private final Snapshot snapshot;

    OncesPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "onces";
    }

    @Override
    public String label() {
        return "Once-guards";
    }

    @Override
    public Answer answer(PageRequest request) {
        var seen = snapshot.onces().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        List<OnceInfo> chosen =
                seen.value().stream().filter(once -> request.finds(once.name())).toList();
        if (request.json()) {
            return Answer.list(chosen, request, list -> OncesJson.of(list));
        }
        Instant now = Instant.now();
        OncesView view = new OncesView(
                Frame.of(request, "Once-guards", seen, true),
                request.param("q"),
                Pagination.of(
                        chosen,
                        seen.value().size(),
                        request.part(),
                        "onces?q=" + Format.query(request.param("q")) + "&part=",
                        once -> row(once, request.buttons(), now)));
        return Answer.html(out -> OncesViewRenderer.render(view, out, Html::text, Html::escape));
    }

    @JStache(path = "onces")
    record OncesView(Frame frame, String query, Pagination<Row> part) {}

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

    private static Row row(OnceInfo once, boolean buttons, Instant now) {
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
