package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.text.Html;
import dev.dibs.text.LocksJson;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The leases that are held. */
final class LocksPage implements Page {

    /** The choice that shows the locks of Dibs' own maintenance. */
    private static final String MAINTENANCE = "maintenance";

    private final Snapshot snapshot;

    LocksPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "locks";
    }

    @Override
    public String label() {
        return "Locks";
    }

    @Override
    public Answer answer(PageRequest request) {
        var seen = snapshot.holders().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        List<LeaseInfo> chosen = chosen(seen.value(), request);
        if (request.json()) {
            return Answer.list(chosen, request, list -> LocksJson.of(list));
        }
        Instant now = Instant.now();
        String kind = request.param("kind");
        String href = "locks?q=" + Format.query(request.param("q")) + "&kind=" + Format.query(kind) + "&part=";
        LocksView view = new LocksView(
                Frame.of(request, "Locks", seen, true),
                request.param("q"),
                kinds(kind),
                Pagination.of(
                        chosen,
                        held(seen.value()).size(),
                        request.part(),
                        href,
                        holder -> row(holder, request.buttons(), now)));
        return Answer.html(out -> LocksViewRenderer.render(view, out, Html::text, Html::escape));
    }

    @JStache(path = "locks")
    record LocksView(Frame frame, String query, List<Choice> kinds, Pagination<Row> part) {}

    /** One holder. */
    record Row(
            String key,
            String name,
            String kind,
            String holder,
            String fence,
            When since,
            When until,
            boolean buttons,
            String breaking) {}

    /** A kind to choose. */
    record Choice(String value, String label, boolean chosen) {}

    private static List<LeaseInfo> chosen(List<LeaseInfo> all, PageRequest request) {
        String kind = request.param("kind");
        return (kind.equals(MAINTENANCE) ? all.stream().filter(LeaseInfo::isMaintenance) : held(all).stream())
                .filter(holder -> kind.isEmpty()
                        || kind.equals(MAINTENANCE)
                        || Words.kind(holder).equals(kind))
                .filter(holder -> request.finds(holder.name(), holder.holder()))
                .toList();
    }

    /** The holders without Dibs' own maintenance, which rarely matters to visitors. */
    static List<LeaseInfo> held(List<LeaseInfo> all) {
        return all.stream().filter(holder -> !holder.isMaintenance()).toList();
    }

    private static List<Choice> kinds(String chosen) {
        List<Choice> kinds = new ArrayList<>();
        kinds.add(new Choice("", "all kinds", chosen.isEmpty()));
        for (LeaseInfo.Kind kind : Words.listedKinds()) {
            String word = kind.name().toLowerCase(Locale.ROOT);
            kinds.add(new Choice(word, word + "s", word.equals(chosen)));
        }
        kinds.add(new Choice(MAINTENANCE, "maintenance of Dibs", chosen.equals(MAINTENANCE)));
        return kinds;
    }

    private static Row row(LeaseInfo lock, boolean buttons, Instant now) {
        String kind = Words.kind(lock);
        return new Row(
                Format.query(kind + ":" + lock.fencingToken() + ":" + lock.holder() + ":" + lock.name()),
                Format.text(lock.name()),
                kind,
                Format.text(lock.holder()),
                Long.toString(lock.fencingToken()),
                Format.when(lock.since(), now),
                Format.when(lock.until(), now),
                buttons,
                "break?kind=" + kind + "&name=" + Format.query(lock.name()));
    }
}
