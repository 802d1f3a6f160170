package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.Html;
import dev.dibs.text.Words;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the pages from the cached answers of the database and the request. Knows nothing of servlets. */
final class Pages {

    /** The answers without the optional libraries. */
    private static final String NO_GSON = "JSON needs com.google.code.gson:gson among the application's libraries";

    private static final String NO_MICROMETER =
            "metrics need io.micrometer:micrometer-registry-prometheus among the application's libraries";

    private final Snapshot snapshot;
    private final Assets assets;
    private final Actions actions;
    private final String environment;
    private final String signOut;
    private volatile @Nullable Metrics metrics;

    Pages(Snapshot snapshot, Assets assets) {
        this(snapshot, assets, "", "");
    }

    /**
     * Creates the pages.
     *
     * @param environment the name of the environment, such as production; may be empty
     * @param signOut the address that ends a session on POST; may be empty
     */
    Pages(Snapshot snapshot, Assets assets, String environment, String signOut) {
        this.signOut = signOut;
        this.snapshot = snapshot;
        this.assets = assets;
        this.environment = environment;
        this.actions = new Actions(snapshot);
    }

    /** Stops the threads. */
    void close() {
        snapshot.close();
    }

    /** A page, or its JSON for a program. */
    Answer get(PageRequest visitor) {
        boolean whole =
                !visitor.json() && !visitor.fragment() && !visitor.page().equals("metrics");
        PageRequest pageRequest = whole
                ? visitor.at(new PageRequest.Place(Format.text(environment), snapshot.database(), signOut))
                : visitor;
        return switch (pageRequest.page()) {
            case "" -> overview(pageRequest);
            case "locks" -> locks(pageRequest);
            case "onces" -> onces(pageRequest);
            case "runs" -> runs(pageRequest);
            case "run" -> run(pageRequest);
            case "tokens" -> tokens(pageRequest);
            case "health" -> health(pageRequest);
            case "metrics" -> metrics();
            case "break", "again" -> confirm(pageRequest);
            default -> MessagePages.missing(assets, pageRequest, "There is no such page.");
        };
    }

    /** The actions of the buttons. */
    Actions actions() {
        return actions;
    }

    private Answer overview(PageRequest pageRequest) {
        Wait wait = snapshot.begin();
        CachedQuery.Seen<List<RunStatus>> runs = snapshot.runs().get(wait);
        CachedQuery.Seen<List<OnceInfo>> onces = snapshot.onces().get(wait);
        CachedQuery.Seen<List<LeaseInfo>> holders = snapshot.holders().get(wait);
        if (runs.value() == null || onces.value() == null || holders.value() == null) {
            return MessagePages.noDatabase(
                    assets,
                    pageRequest,
                    CachedQuery.Seen.oldest(runs, onces, holders).problem());
        }
        Instant now = Instant.now();
        List<LeaseInfo> held = LocksPage.held(holders.value());
        List<Trouble> troubles = new ArrayList<>(Trouble.of(runs.value(), onces.value(), held, now));
        troubles.addAll(0, Trouble.of(snapshot.findings().peek(), now));
        if (pageRequest.json()) {
            return json(() -> JsonPages.overview(
                    troubles, held.size(), onces.value().size(), runs.value().size()));
        }
        List<OverviewPage.Count> counts = List.of(
                OverviewPage.Count.of("locks", held.size(), "held", "held"),
                OverviewPage.Count.of("onces", onces.value().size(), "once-guard", "once-guards"),
                OverviewPage.Count.of("runs", runs.value().size(), "run", "runs"));
        OverviewPage page = new OverviewPage(
                frame(pageRequest, "Overview", CachedQuery.Seen.oldest(runs, onces, holders), true),
                OverviewPage.rows(troubles, now),
                counts);
        return html(out -> OverviewPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer locks(PageRequest pageRequest) {
        var seen = snapshot.holders().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        List<LeaseInfo> chosen = LocksPage.chosen(seen.value(), pageRequest);
        if (pageRequest.json()) {
            return json(() -> JsonPages.locks(chosen, pageRequest));
        }
        Instant now = Instant.now();
        String kind = pageRequest.param("kind");
        String href = "locks?q=" + Format.query(pageRequest.param("q")) + "&kind=" + Format.query(kind) + "&part=";
        LocksPage page = new LocksPage(
                frame(pageRequest, "Locks", seen, true),
                pageRequest.param("q"),
                LocksPage.kinds(kind),
                Pagination.of(
                        chosen,
                        LocksPage.held(seen.value()).size(),
                        pageRequest.number("part", 1, Integer.MAX_VALUE),
                        href,
                        holder -> LocksPage.row(holder, pageRequest.buttons(), now)));
        return html(out -> LocksPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer onces(PageRequest pageRequest) {
        var seen = snapshot.onces().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        List<OnceInfo> chosen = OncesPage.chosen(seen.value(), pageRequest);
        if (pageRequest.json()) {
            return json(() -> JsonPages.onces(chosen, pageRequest));
        }
        Instant now = Instant.now();
        OncesPage page = new OncesPage(
                frame(pageRequest, "Once-guards", seen, true),
                pageRequest.param("q"),
                Pagination.of(
                        chosen,
                        seen.value().size(),
                        pageRequest.number("part", 1, Integer.MAX_VALUE),
                        "onces?q=" + Format.query(pageRequest.param("q")) + "&part=",
                        once -> OncesPage.row(once, pageRequest.buttons(), now)));
        return html(out -> OncesPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer runs(PageRequest pageRequest) {
        var seen = snapshot.runs().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        List<RunStatus> chosen = RunsPage.chosen(seen.value(), pageRequest);
        if (pageRequest.json()) {
            return json(() -> JsonPages.runs(chosen, pageRequest));
        }
        RunsPage page = new RunsPage(
                frame(pageRequest, "Runs", seen, true),
                pageRequest.param("q"),
                Pagination.of(
                        chosen,
                        seen.value().size(),
                        pageRequest.number("part", 1, Integer.MAX_VALUE),
                        "runs?q=" + Format.query(pageRequest.param("q")) + "&part=",
                        RunsPage::row));
        return html(out -> RunsPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer run(PageRequest pageRequest) {
        Wait wait = snapshot.begin();
        var seen = snapshot.runs().get(wait);
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        Optional<RunStatus> found = seen.value().stream()
                .filter(run -> run.name().equals(pageRequest.param("name")))
                .findFirst();
        if (found.isEmpty()) {
            return MessagePages.missing(assets, pageRequest, "There is no such run: it was never started.");
        }
        RunStatus run = found.get();
        if (pageRequest.json() && pageRequest.param("show").isEmpty()) {
            return json(() -> JsonPages.run(run));
        }
        var detail = snapshot.detail(run.name()).get(wait);
        if (detail.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, detail.problem());
        }
        if (pageRequest.json()) {
            return json(() -> JsonPages.detail(detail.value(), pageRequest.param("show")));
        }
        RunPage page = RunPage.of(
                frame(pageRequest, "Run " + Format.text(run.name()), CachedQuery.Seen.oldest(seen, detail), false),
                run,
                detail.value(),
                !pageRequest.param("all").isEmpty(),
                Instant.now());
        return html(out -> RunPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer tokens(PageRequest pageRequest) {
        var seen = snapshot.tokens().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        if (pageRequest.json()) {
            return json(() -> JsonPages.tokens(seen.value()));
        }
        TokensPage page = new TokensPage(
                frame(pageRequest, "Tokens", seen, true),
                seen.value().stream().map(TokensPage::row).toList());
        return html(out -> TokensPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer health(PageRequest pageRequest) {
        var seen = snapshot.findings().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(assets, pageRequest, seen.problem());
        }
        if (pageRequest.json()) {
            return json(() -> JsonPages.findings(seen.value()));
        }
        HealthPage page = new HealthPage(
                frame(pageRequest, "Health", seen, true),
                seen.value().stream().map(HealthPage::row).toList(),
                HealthPage.figures(snapshot.dibs().admin().statistics()));
        return html(out -> HealthPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer confirm(PageRequest pageRequest) {
        if (!pageRequest.buttons()) {
            return MessagePages.refused(assets, pageRequest, ConsoleAccess.ADMIN);
        }
        return pageRequest.page().equals("break") ? confirmBreak(pageRequest) : confirmAgain(pageRequest);
    }

    private Answer confirmBreak(PageRequest pageRequest) {
        String name = pageRequest.param("name");
        String kind = pageRequest.param("kind");
        var seen = snapshot.holders().get(snapshot.begin());
        List<LeaseInfo> holders = seen.value() == null
                ? List.of()
                : seen.value().stream()
                        .filter(holder ->
                                holder.name().equals(name) && Words.kind(holder).equals(kind))
                        .toList();
        if (holders.isEmpty()) {
            return MessagePages.missing(assets, pageRequest, "It is not held any more.");
        }
        Instant now = Instant.now();
        boolean alone = kind.equals("lock") || kind.equals("writer");
        ConfirmPage page = new ConfirmPage(
                frame(pageRequest, "Break the " + kind + " " + Format.text(name) + "?", seen, false)
                        .still(),
                holders.stream()
                        .map(holder -> Format.text(holder.holder()) + " has it since "
                                + Format.when(holder.since(), now).text())
                        .toList(),
                (alone ? "It is taken from its holder by force" : "It is taken from all its holders by force")
                        + ". A holder learns of it at its next renewal, and works on until then. Only what it does under"
                        + " Lease.guard is safe from the next holder.",
                "break?kind=" + Format.query(kind) + "&name=" + Format.query(name),
                alone ? Long.toString(holders.get(0).fencingToken()) : "",
                "Break it",
                "locks");
        return html(out -> ConfirmPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Answer confirmAgain(PageRequest pageRequest) {
        String name = pageRequest.param("name");
        var seen = snapshot.onces().get(snapshot.begin());
        Optional<OnceInfo> once = seen.value() == null
                ? Optional.empty()
                : seen.value().stream().filter(info -> info.name().equals(name)).findFirst();
        if (once.isEmpty()) {
            return MessagePages.missing(assets, pageRequest, "There is no such once-guard.");
        }
        Instant now = Instant.now();
        ConfirmPage page = new ConfirmPage(
                frame(pageRequest, "Run " + Format.text(name) + " again?", seen, false)
                        .still(),
                List.of(once.get()
                        .lastSuccess()
                        .map(time -> "Last done " + Format.when(time, now).text())
                        .orElse("It has not been done yet")),
                "This forgets its last success, and the pause after a failure. So it is due for the next caller. The console does not"
                        + " do it itself.",
                "again?name=" + Format.query(name),
                "",
                "Run again",
                "onces");
        return html(out -> ConfirmPageRenderer.render(page, out, Html::text, Html::escape));
    }

    private Frame frame(PageRequest pageRequest, String title, CachedQuery.Seen<?> seen, boolean reloads) {
        return MessagePages.frame(assets, pageRequest, title, Optional.of(seen), reloads);
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
                known = new Metrics(snapshot);
                metrics = known;
            }
            return known.scrape();
        } catch (NoClassDefFoundError e) {
            return Answer.text(404, NO_MICROMETER);
        }
    }
}
