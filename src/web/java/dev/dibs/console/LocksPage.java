package dev.dibs.console;

import dev.dibs.LeaseInfo;
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

    static List<LeaseInfo> chosen(List<LeaseInfo> all, PageRequest pageRequest) {
        String text = pageRequest.param("q").toLowerCase(Locale.ROOT);
        String kind = pageRequest.param("kind");
        return (kind.equals(MAINTENANCE) ? all.stream().filter(LeaseInfo::isMaintenance) : held(all).stream())
                .filter(holder -> kind.isEmpty()
                        || kind.equals(MAINTENANCE)
                        || Words.kind(holder).equals(kind))
                .filter(holder -> contains(holder.name(), text) || contains(holder.holder(), text))
                .toList();
    }

    /** The holders without Dibs' own maintenance, which rarely matters to visitors. */
    static List<LeaseInfo> held(List<LeaseInfo> all) {
        return all.stream().filter(holder -> !holder.isMaintenance()).toList();
    }

    static boolean contains(String text, String lower) {
        return lower.isEmpty() || text.toLowerCase(Locale.ROOT).contains(lower);
    }

    static List<Choice> kinds(String chosen) {
        List<Choice> kinds = new ArrayList<>();
        kinds.add(new Choice("", "all kinds", chosen.isEmpty()));
        for (LeaseInfo.Kind kind : Words.listedKinds()) {
            String word = kind.name().toLowerCase(Locale.ROOT);
            kinds.add(new Choice(word, word + "s", word.equals(chosen)));
        }
        kinds.add(new Choice(MAINTENANCE, "maintenance of Dibs", chosen.equals(MAINTENANCE)));
        return kinds;
    }

    static Row row(LeaseInfo lock, boolean buttons, Instant now) {
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
