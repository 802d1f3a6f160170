package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.text.Words;
import java.time.Instant;
import java.util.List;

/** Asks before a lease is broken. */
final class BreakPage implements Page {

    private final Snapshot snapshot;

    BreakPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "break";
    }

    @Override
    public String under() {
        return "locks";
    }

    @Override
    public Answer answer(PageRequest request) {
        if (!request.buttons()) {
            return MessagePages.refused(request, ConsoleAccess.ADMIN);
        }
        String name = request.param("name");
        String kind = request.param("kind");
        var seen = snapshot.holders().get(snapshot.begin());
        List<LeaseInfo> holders = seen.value() == null
                ? List.of()
                : seen.value().stream()
                        .filter(holder ->
                                holder.name().equals(name) && Words.kind(holder).equals(kind))
                        .toList();
        if (holders.isEmpty()) {
            return MessagePages.missing(request, "It is not held any more.");
        }
        Instant now = Instant.now();
        boolean alone = kind.equals("lock") || kind.equals("writer");
        return new Confirm(
                        Frame.of(request, "Break the " + kind + " " + Format.text(name) + "?", seen, false)
                                .still(),
                        holders.stream()
                                .map(holder -> Format.text(holder.holder()) + " has it since "
                                        + Format.when(holder.since(), now).text())
                                .toList(),
                        (alone ? "It is taken from its holder by force" : "It is taken from all its holders by force")
                                + ". A holder learns of it at its next renewal, and works on until then. Only what it"
                                + " does under Lease.guard is safe from the next holder.",
                        "break?kind=" + Format.query(kind) + "&name=" + Format.query(name),
                        alone ? Long.toString(holders.get(0).fencingToken()) : "",
                        "Break it",
                        true,
                        "locks")
                .answer();
    }
}
