package dev.dibs.console;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All pages, and their visitors' requests. Knows nothing of servlets. */
final class Pages {

    /** In the order of their links. */
    private static final List<Function<Snapshot, Page>> ALL = List.of(
            OverviewPage::new,
            LocksPage::new,
            OncesPage::new,
            RunsPage::new,
            TokensPage::new,
            HealthPage::new,
            RunPage::new,
            BreakPage::new,
            RunAgainPage::new);

    private final Snapshot snapshot;
    private final List<Page> pages;
    private final Actions actions;
    private final String environment;
    private final String signOut;

    Pages(Snapshot snapshot) {
        this(snapshot, "", "");
    }

    /**
     * Creates the pages.
     *
     * @param environment the name of the environment, such as production; may be empty
     * @param signOut the address that ends a session on POST; may be empty
     */
    Pages(Snapshot snapshot, String environment, String signOut) {
        this.signOut = signOut;
        this.snapshot = snapshot;
        this.environment = environment;
        this.pages = ALL.stream().map(page -> page.apply(snapshot)).toList();
        this.actions = new Actions(snapshot);
    }

    /** Stops the threads. */
    void close() {
        snapshot.close();
    }

    /** A page, or its JSON for a program. */
    Answer get(PageRequest visitor) {
        if (visitor.page().equals("metrics")) {
            return Metrics.scrape(snapshot);
        }
        Page page = pages.stream()
                .filter(one -> one.path().equals(visitor.page()))
                .findFirst()
                .orElse(null);
        boolean whole = !visitor.json() && !visitor.fragment();
        PageRequest request = whole ? visitor.at(place(page)) : visitor;
        return page == null ? MessagePages.missing(request, "There is no such page.") : page.answer(request);
    }

    private PageRequest.Place place(@Nullable Page current) {
        List<Frame.Link> links = pages.stream()
                .filter(page -> !page.label().isEmpty())
                .map(page -> new Frame.Link(
                        page.path().isEmpty() ? "./" : page.path(),
                        page.label(),
                        current != null && current.under().equals(page.path())))
                .toList();
        return new PageRequest.Place(Format.text(environment), snapshot.database(), signOut, links);
    }

    /** The actions of the buttons. */
    Actions actions() {
        return actions;
    }
}
