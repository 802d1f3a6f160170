package dev.dibs.console;

import com.google.gson.JsonObject;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.Html;
import dev.dibs.text.JsonText;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is stuck, its holder, since when, and what to press. */
final class OverviewPage implements Page {

    private final Snapshot snapshot;

    OverviewPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "";
    }

    @Override
    public String label() {
        return "Overview";
    }

    @Override
    public Answer answer(PageRequest request) {
        Wait wait = snapshot.begin();
        CachedQuery.Seen<List<RunStatus>> runs = snapshot.runs().get(wait);
        CachedQuery.Seen<List<OnceInfo>> onces = snapshot.onces().get(wait);
        CachedQuery.Seen<List<LeaseInfo>> holders = snapshot.holders().get(wait);
        CachedQuery.Seen<?> oldest = CachedQuery.Seen.oldest(runs, onces, holders);
        if (runs.value() == null || onces.value() == null || holders.value() == null) {
            return MessagePages.noDatabase(request, oldest.problem());
        }
        Instant now = Instant.now();
        List<LeaseInfo> held = LocksPage.held(holders.value());
        List<Problem> problems = new ArrayList<>(Problem.of(snapshot.findings().peek(), now));
        problems.addAll(Problem.of(runs.value(), onces.value(), held, now));
        if (request.json()) {
            return Answer.json(() -> Json.of(
                    problems, held.size(), onces.value().size(), runs.value().size()));
        }
        OverviewView view = new OverviewView(
                Frame.of(request, "Overview", oldest, true),
                problems.stream()
                        .map(problem -> ProblemRow.linked(problem, request.buttons(), now))
                        .toList(),
                List.of(
                        Count.of("locks", held.size(), "held", "held"),
                        Count.of("onces", onces.value().size(), "once-guard", "once-guards"),
                        Count.of("runs", runs.value().size(), "run", "runs")));
        return Answer.html(out -> OverviewViewRenderer.render(view, out, Html::text, Html::escape));
    }

    @JStache(path = "overview")
    record OverviewView(Frame frame, List<ProblemRow> rows, List<Count> counts) {

        /** Whether there is nothing to do. A note, such as a leader that has led for long, does not count as stuck. */
        boolean fine() {
            return rows.stream().allMatch(row -> row.style().equals("note"));
        }
    }

    /** A number of things of one kind, with a link to them. */
    record Count(String href, String number, String label) {

        static Count of(String href, int number, String one, String many) {
            return new Count(href, Integer.toString(number), number == 1 ? one : many);
        }
    }

    private static final class Json {

        static String of(List<Problem> problems, int held, int onces, int runs) {
            JsonObject page = new JsonObject();
            page.addProperty("held", held);
            page.addProperty("onces", onces);
            page.addProperty("runs", runs);
            page.add("stuck", JsonText.array(problems, Json::problem));
            return JsonText.of(page);
        }

        private static JsonObject problem(Problem problem) {
            JsonObject object = new JsonObject();
            object.addProperty("level", problem.level().name().toLowerCase(Locale.ROOT));
            object.addProperty("what", problem.what());
            object.addProperty("name", problem.name());
            object.addProperty("message", problem.message());
            object.addProperty("since", JsonText.time(problem.since()));
            object.addProperty("press", problem.press());
            return object;
        }
    }
}
