package dev.dibs.console;

import dev.dibs.HolderInfo;
import dev.dibs.OnceInfo;
import dev.dibs.rows.RunStatus;
import dev.dibs.text.Html;
import dev.dibs.text.Words;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the pages, from what is seen of the database and what was asked for. Knows nothing of servlets. */
final class Pages {

    /** Without the optional library, what there is to say. */
    private static final String NO_GSON = "JSON needs com.google.code.gson:gson among the application's libraries";

    private static final String NO_MICROMETER =
            "metrics need io.micrometer:micrometer-registry-prometheus among the application's libraries";

    private final Watch watch;
    private final Assets assets;
    private final Actions actions;
    private final String environment;
    private final String signOut;
    private volatile @Nullable Metrics metrics;

    Pages(Watch watch, Assets assets) {
        this(watch, assets, "", "");
    }

    /**
     * With a name for where it is.
     *
     * @param environment such as production; may be empty
     * @param signOut what to post to for the end of a session; may be empty
     */
    Pages(Watch watch, Assets assets, String environment, String signOut) {
        this.signOut = signOut;
        this.watch = watch;
        this.assets = assets;
        this.environment = environment;
        this.actions = new Actions(watch);
    }

    /** Nobody looks any more. */
    void close() {
        watch.close();
    }

    /** A page, or what a program wants instead. */
    Answer get(Visit visitor) {
        boolean whole =
                !visitor.json() && !visitor.fragment() && !visitor.page().equals("metrics");
        Visit visit = whole ? visitor.at(new Visit.Place(Show.text(environment), watch.database(), signOut)) : visitor;
        return switch (visit.page()) {
            case "" -> overview(visit);
            case "locks" -> locks(visit);
            case "onces" -> onces(visit);
            case "runs" -> runs(visit);
            case "run" -> run(visit);
            case "tokens" -> tokens(visit);
            case "health" -> health(visit);
            case "metrics" -> metrics();
            case "break", "again" -> confirm(visit);
            default -> Plain.missing(assets, visit, "There is no such page.");
        };
    }

    /** A button. */
    Actions actions() {
        return actions;
    }

    private Answer overview(Visit visit) {
        Wait wait = watch.begin();
        Shared.Seen<List<RunStatus>> runs = watch.runs().get(wait);
        Shared.Seen<List<OnceInfo>> onces = watch.onces().get(wait);
        Shared.Seen<List<HolderInfo>> holders = watch.holders().get(wait);
        if (runs.value() == null || onces.value() == null || holders.value() == null) {
            return Plain.noDatabase(
                    assets, visit, Shared.Seen.oldest(runs, onces, holders).problem());
        }
        Instant now = Instant.now();
        List<HolderInfo> held = LocksPage.held(holders.value());
        List<Trouble> troubles = new ArrayList<>(Trouble.of(runs.value(), onces.value(), held, now));
        troubles.addAll(0, Trouble.of(watch.findings().peek(), now));
        if (visit.json()) {
            return json(() -> JsonPages.overview(
                    troubles, held.size(), onces.value().size(), runs.value().size()));
        }
        List<OverviewPage.Count> counts = List.of(
                OverviewPage.Count.of("locks", held.size(), "held", "held"),
                OverviewPage.Count.of("onces", onces.value().size(), "once-guard", "once-guards"),
                OverviewPage.Count.of("runs", runs.value().size(), "run", "runs"));
        OverviewPage page = new OverviewPage(
                frame(visit, "Overview", Shared.Seen.oldest(runs, onces, holders), true),
                OverviewPage.rows(troubles, now),
                counts);
        return html(out -> OverviewPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer locks(Visit visit) {
        var seen = watch.holders().get(watch.begin());
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        List<HolderInfo> chosen = LocksPage.chosen(seen.value(), visit);
        if (visit.json()) {
            return json(() -> JsonPages.locks(chosen, visit));
        }
        Instant now = Instant.now();
        String kind = visit.param("kind");
        String href = "locks?q=" + Show.query(visit.param("q")) + "&kind=" + Show.query(kind) + "&part=";
        LocksPage page = new LocksPage(
                frame(visit, "Locks", seen, true),
                visit.param("q"),
                LocksPage.kinds(kind),
                Part.of(
                        chosen,
                        LocksPage.held(seen.value()).size(),
                        visit.number("part", 1, Integer.MAX_VALUE),
                        href,
                        holder -> LocksPage.row(holder, visit.buttons(), now)));
        return html(out -> LocksPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer onces(Visit visit) {
        var seen = watch.onces().get(watch.begin());
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        List<OnceInfo> chosen = OncesPage.chosen(seen.value(), visit);
        if (visit.json()) {
            return json(() -> JsonPages.onces(chosen, visit));
        }
        Instant now = Instant.now();
        OncesPage page = new OncesPage(
                frame(visit, "Once-guards", seen, true),
                visit.param("q"),
                Part.of(
                        chosen,
                        seen.value().size(),
                        visit.number("part", 1, Integer.MAX_VALUE),
                        "onces?q=" + Show.query(visit.param("q")) + "&part=",
                        once -> OncesPage.row(once, visit.buttons(), now)));
        return html(out -> OncesPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer runs(Visit visit) {
        var seen = watch.runs().get(watch.begin());
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        List<RunStatus> chosen = RunsPage.chosen(seen.value(), visit);
        if (visit.json()) {
            return json(() -> JsonPages.runs(chosen, visit));
        }
        RunsPage page = new RunsPage(
                frame(visit, "Runs", seen, true),
                visit.param("q"),
                Part.of(
                        chosen,
                        seen.value().size(),
                        visit.number("part", 1, Integer.MAX_VALUE),
                        "runs?q=" + Show.query(visit.param("q")) + "&part=",
                        RunsPage::row));
        return html(out -> RunsPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer run(Visit visit) {
        Wait wait = watch.begin();
        var seen = watch.runs().get(wait);
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        Optional<RunStatus> found = seen.value().stream()
                .filter(run -> run.name().equals(visit.param("name")))
                .findFirst();
        if (found.isEmpty()) {
            return Plain.missing(assets, visit, "There is no such run: nobody has started it.");
        }
        RunStatus run = found.get();
        if (visit.json() && visit.param("show").isEmpty()) {
            return json(() -> JsonPages.run(run));
        }
        var detail = watch.detail(run.name()).get(wait);
        if (detail.value() == null) {
            return Plain.noDatabase(assets, visit, detail.problem());
        }
        if (visit.json()) {
            return json(() -> JsonPages.detail(detail.value(), visit.param("show")));
        }
        RunPage page = RunPage.of(
                frame(visit, "Run " + Show.text(run.name()), Shared.Seen.oldest(seen, detail), false),
                run,
                detail.value(),
                !visit.param("all").isEmpty(),
                Instant.now());
        return html(out -> RunPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer tokens(Visit visit) {
        var seen = watch.tokens().get(watch.begin());
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        if (visit.json()) {
            return json(() -> JsonPages.tokens(seen.value()));
        }
        TokensPage page = new TokensPage(
                frame(visit, "Tokens", seen, true),
                seen.value().stream().map(TokensPage::row).toList());
        return html(out -> TokensPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer health(Visit visit) {
        var seen = watch.findings().get(watch.begin());
        if (seen.value() == null) {
            return Plain.noDatabase(assets, visit, seen.problem());
        }
        if (visit.json()) {
            return json(() -> JsonPages.findings(seen.value()));
        }
        HealthPage page = new HealthPage(
                frame(visit, "Health", seen, true),
                seen.value().stream().map(HealthPage::row).toList(),
                HealthPage.figures(watch.dibs().figures()));
        return html(out -> HealthPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer confirm(Visit visit) {
        if (!visit.buttons()) {
            return Plain.refused(assets, visit, ConsoleAccess.ADMIN);
        }
        return visit.page().equals("break") ? confirmBreak(visit) : confirmAgain(visit);
    }

    private Answer confirmBreak(Visit visit) {
        String name = visit.param("name");
        String kind = visit.param("kind");
        var seen = watch.holders().get(watch.begin());
        List<HolderInfo> holders = seen.value() == null
                ? List.of()
                : seen.value().stream()
                        .filter(holder -> holder.lock().name().equals(name)
                                && Words.kind(holder).equals(kind))
                        .toList();
        if (holders.isEmpty()) {
            return Plain.missing(assets, visit, "Nobody holds that any more.");
        }
        Instant now = Instant.now();
        boolean alone = kind.equals("lock") || kind.equals("writer");
        ConfirmPage page = new ConfirmPage(
                frame(visit, "Break the " + kind + " " + Show.text(name) + "?", seen, false)
                        .still(),
                holders.stream()
                        .map(holder -> Show.text(holder.lock().holder()) + " has it since "
                                + Show.when(holder.lock().since(), now).text())
                        .toList(),
                (alone ? "It is taken from its holder by force" : "It is taken from all its holders by force")
                        + ", who learns of it at the next renewal and goes on working until then. Only what is done under"
                        + " Lease.guard is safe from the next holder.",
                "break?kind=" + Show.query(kind) + "&name=" + Show.query(name),
                alone ? Long.toString(holders.get(0).lock().fence()) : "",
                "Break it",
                "locks");
        return html(out -> ConfirmPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer confirmAgain(Visit visit) {
        String name = visit.param("name");
        var seen = watch.onces().get(watch.begin());
        Optional<OnceInfo> once = seen.value() == null
                ? Optional.empty()
                : seen.value().stream().filter(info -> info.name().equals(name)).findFirst();
        if (once.isEmpty()) {
            return Plain.missing(assets, visit, "There is no such once-guard.");
        }
        Instant now = Instant.now();
        ConfirmPage page = new ConfirmPage(
                frame(visit, "Run " + Show.text(name) + " again?", seen, false).still(),
                List.of(once.get()
                        .lastSuccess()
                        .map(time -> "Last done " + Show.when(time, now).text())
                        .orElse("It has not been done yet")),
                "When it was last done is forgotten, and the pause after a failure, too: it is due for whoever asks next. The console"
                        + " does not do it itself.",
                "again?name=" + Show.query(name),
                "",
                "Run again",
                "onces");
        return html(out -> ConfirmPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Frame frame(Visit visit, String title, Shared.Seen<?> seen, boolean reloads) {
        return Plain.frame(assets, visit, title, Optional.of(seen), reloads);
    }

    private static Answer html(Html.Template template) {
        return Answer.html(200, Html.of(template));
    }

    private interface Json {
        Answer answer();
    }

    private static Answer json(Json json) {
        try {
            return json.answer();
        } catch (NoClassDefFoundError e) {
            return Answer.text(501, NO_GSON);
        }
    }

    private Answer metrics() {
        try {
            Metrics known = metrics;
            if (known == null) {
                known = new Metrics(watch);
                metrics = known;
            }
            return known.scrape();
        } catch (NoClassDefFoundError e) {
            return Answer.text(404, NO_MICROMETER);
        }
    }
}
