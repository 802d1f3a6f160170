package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.text.Html;
import dev.dibs.text.LocksJson;
import dev.dibs.text.Words;
import io.jstach.jstache.JStache;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The leases that are held, and who waits for them, as far as the tables know. */
final class LocksPage implements Page {

    /** The choice that shows the locks of Dibs' own maintenance. */
    private static final String MAINTENANCE = "maintenance";

    /** How many of the instances that wait for a lock are named. */
    private static final int NAMED = 3;

    private final Snapshot snapshot;
    private final CachedQuery<List<LeaseInfo>> waiters;

    LocksPage(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.waiters = snapshot.query(1, snapshot.dibs().admin()::waiters);
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
        Wait wait = snapshot.begin();
        var seen = snapshot.holders().get(wait);
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        List<LeaseInfo> chosen = chosen(seen.value(), request);
        if (request.json()) {
            return Answer.list(chosen, request, list -> LocksJson.of(list));
        }
        var queues = waiters.get(wait);
        List<LeaseInfo> waiting = queues.value() == null ? List.of() : queues.value();
        Instant now = Instant.now();
        String kind = request.param("kind");
        String href = "locks?q=" + Format.query(request.param("q")) + "&kind=" + Format.query(kind) + "&part=";
        LocksView view = new LocksView(
                Frame.of(request, "Locks", CachedQuery.Seen.oldest(seen, queues), true),
                request.param("q"),
                kinds(kind),
                Pagination.of(
                        chosen,
                        held(seen.value()).size(),
                        request.part(),
                        href,
                        holder -> row(holder, waiting(holder, seen.value(), waiting, now), request.buttons(), now)));
        return Answer.html(out -> LocksViewRenderer.render(view, out, Html::text, Html::escape));
    }

    CachedQuery<List<LeaseInfo>> waiters() {
        return waiters;
    }

    /** Who waits for this lease to end; or that it waits itself, as a writer does for the last reader. */
    private static Optional<String> waiting(
            LeaseInfo lease, List<LeaseInfo> held, List<LeaseInfo> waiters, Instant now) {
        if (lease.kind() == LeaseInfo.Kind.WRITER) {
            long readers = held.stream()
                    .filter(other -> other.kind() == LeaseInfo.Kind.READER
                            && other.name().equals(lease.name()))
                    .count();
            return readers == 0
                    ? Optional.empty()
                    : Optional.of("it waits for " + readers + (readers == 1 ? " reader" : " readers"));
        }
        List<LeaseInfo> queue = lease.kind() != LeaseInfo.Kind.LOCK
                ? List.of()
                : waiters.stream()
                        .filter(waiter -> waiter.name().equals(lease.name()))
                        .toList();
        return queue.isEmpty()
                ? Optional.empty()
                : Optional.of((queue.size() == 1 ? "1 waits, for " : queue.size() + " wait, the first for ")
                        + Format.duration(Duration.between(queue.get(0).since(), now)) + ": "
                        + queue.stream()
                                .map(waiter -> Format.text(waiter.holder()))
                                .distinct()
                                .limit(NAMED)
                                .collect(Collectors.joining(", ")));
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
            Optional<String> waiting,
            boolean buttons,
            boolean isLease,
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

    private static Row row(LeaseInfo lock, Optional<String> waiting, boolean buttons, Instant now) {
        String kind = Words.kind(lock);
        return new Row(
                Format.query(kind + ":" + lock.fencingToken() + ":" + lock.holder() + ":" + lock.name()),
                Format.text(lock.name()),
                kind,
                Format.text(lock.holder()),
                Long.toString(lock.fencingToken()),
                Format.when(lock.since(), now),
                Format.when(lock.until(), now),
                waiting,
                buttons,
                lock.kind() != LeaseInfo.Kind.TRANSACTION,
                "break?kind=" + kind + "&name=" + Format.query(lock.name()));
    }
}
