package dev.dibs.console;

import dev.dibs.HolderInfo;
import dev.dibs.HolderKind;
import dev.dibs.LockInfo;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The leases that are held. */
@JStache(path = "locks")
record LocksPage(Frame frame, String query, List<Choice> kinds, Pagination<Row> part) {

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

    /** The choice that shows the locks of Dibs' own maintenance. */
    private static final String MAINTENANCE = "maintenance";

    /** A kind to choose. */
    record Choice(String value, String label, boolean chosen) {}

    static List<HolderInfo> chosen(List<HolderInfo> all, PageRequest pageRequest) {
        String text = pageRequest.param("q").toLowerCase(Locale.ROOT);
        String kind = pageRequest.param("kind");
        return (kind.equals(MAINTENANCE) ? all.stream().filter(HolderInfo::isMaintenance) : held(all).stream())
                .filter(holder -> kind.isEmpty()
                        || kind.equals(MAINTENANCE)
                        || Words.kind(holder).equals(kind))
                .filter(holder -> contains(holder.lock().name(), text)
                        || contains(holder.lock().holder(), text))
                .toList();
    }

    /** The holders without Dibs' own maintenance, which rarely matters to visitors. */
    static List<HolderInfo> held(List<HolderInfo> all) {
        return all.stream().filter(holder -> !holder.isMaintenance()).toList();
    }

    static boolean contains(String text, String lower) {
        return lower.isEmpty() || text.toLowerCase(Locale.ROOT).contains(lower);
    }

    static List<Choice> kinds(String chosen) {
        List<Choice> kinds = new ArrayList<>();
        kinds.add(new Choice("", "all kinds", chosen.isEmpty()));
        for (HolderKind kind : HolderKind.values()) {
            String word = kind.name().toLowerCase(Locale.ROOT);
            kinds.add(new Choice(word, word + "s", word.equals(chosen)));
        }
        kinds.add(new Choice(MAINTENANCE, "maintenance of Dibs", chosen.equals(MAINTENANCE)));
        return kinds;
    }

    static Row row(HolderInfo holder, boolean buttons, Instant now) {
        LockInfo lock = holder.lock();
        String kind = Words.kind(holder);
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
