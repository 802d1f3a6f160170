package dev.dibs.console;

import dev.dibs.HolderInfo;
import dev.dibs.HolderKind;
import dev.dibs.LockInfo;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Who holds what. */
@JStache(path = "locks")
record LocksPage(Frame frame, String query, List<Choice> kinds, Part<Row> part) {

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

    /** A kind to be chosen. */
    record Choice(String value, String label, boolean chosen) {}

    static List<HolderInfo> chosen(List<HolderInfo> all, Visit visit) {
        String text = visit.param("q").toLowerCase(Locale.ROOT);
        String kind = visit.param("kind");
        return all.stream()
                .filter(holder -> kind.isEmpty() || Words.kind(holder).equals(kind))
                .filter(holder -> contains(holder.lock().name(), text)
                        || contains(holder.lock().holder(), text))
                .toList();
    }

    static boolean contains(String text, String lower) {
        return lower.isEmpty() || text.toLowerCase(Locale.ROOT).contains(lower);
    }

    static List<Choice> kinds(String chosen) {
        return Stream.concat(
                        Stream.of(new Choice("", "all kinds", chosen.isEmpty())),
                        Stream.of(HolderKind.values())
                                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                                .map(kind -> new Choice(kind, kind + "s", kind.equals(chosen))))
                .toList();
    }

    static Row row(HolderInfo holder, boolean buttons, Instant now) {
        LockInfo lock = holder.lock();
        String kind = Words.kind(holder);
        return new Row(
                Show.query(kind + ":" + lock.fence() + ":" + lock.holder() + ":" + lock.name()),
                Show.text(lock.name()),
                kind,
                Show.text(lock.holder()),
                Long.toString(lock.fence()),
                Show.when(lock.since(), now),
                Show.when(lock.until(), now),
                buttons,
                "break?kind=" + kind + "&name=" + Show.query(lock.name()));
    }
}
