package dev.dibs.console;

import dev.dibs.once.OnceInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Asks before work that is done once a period becomes due. */
final class RunAgainPage implements Page {

    private final Snapshot snapshot;

    RunAgainPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "again";
    }

    @Override
    public String under() {
        return "onces";
    }

    @Override
    public Answer answer(PageRequest request) {
        if (!request.buttons()) {
            return MessagePages.refused(request, ConsoleAccess.ADMIN);
        }
        String name = request.param("name");
        var seen = snapshot.onces().get(snapshot.begin());
        Optional<OnceInfo> once = seen.value() == null
                ? Optional.empty()
                : seen.value().stream().filter(info -> info.name().equals(name)).findFirst();
        if (once.isEmpty()) {
            return MessagePages.missing(request, "There is no such once-guard.");
        }
        Instant now = Instant.now();
        return new Confirm(
                        Frame.of(request, "Run " + Format.text(name) + " again?", seen, false)
                                .still(),
                        List.of(once.get()
                                .lastSuccess()
                                .map(time ->
                                        "Last done " + Format.when(time, now).text())
                                .orElse("It has not been done yet")),
                        "This forgets its last success, and the pause after a failure. So it is due for the next caller."
                                + " The console does not do it itself.",
                        "again?name=" + Format.query(name),
                        "",
                        "Run again",
                        false,
                        "onces")
                .answer();
    }
}
