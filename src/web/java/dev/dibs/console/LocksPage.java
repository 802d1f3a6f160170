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

    /** Chosen to see the locks of Dibs' own chores. */
    private static final String CHORE = "chore";

    /** A kind to be chosen. */
    record Choice(String value, String label, boolean chosen) {}

    static List<HolderInfo> chosen(List<HolderInfo> all, Visit visit) {
        String text = visit.param("q").toLowerCase(Locale.ROOT);
        String kind = visit.param("kind");
        return (kind.equals(CHORE) ? all.stream().filter(HolderInfo::isChore) : held(all).stream())
                .filter(holder -> kind.isEmpty()
                        || kind.equals(CHORE)
                        || Words.kind(holder).equals(kind))
                .filter(holder -> contains(holder.lock().name(), text)
                        || contains(holder.lock().holder(), text))
                .toList();
    }

    /** Without the locks of Dibs' own chores, which nobody looks for. */
    static List<HolderInfo> held(List<HolderInfo> all) {
        return all.stream().filter(holder -> !holder.isChore()).toList();
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
        kinds.add(new Choice(CHORE, "chores of Dibs", chosen.equals(CHORE)));
        return kinds;
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
