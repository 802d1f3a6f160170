package dev.dibs.console;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The frame of every page.
 *
 * @param title its heading
 * @param style the address of the stylesheet
 * @param script the address of the script
 * @param nav links to the pages
 * @param live whether the script updates it
 * @param reloads whether it reloads itself in a browser without script
 * @param fragment whether only the part that is updated is wanted
 * @param admin whether there are buttons
 * @param csrf the secret that the buttons send
 * @param message the outcome of the last button
 * @param problem why the page is out of date; empty if it is not
 * @param asOf when its data were read
 * @param reload the address of the page
 * @param user the visitor
 * @param place the console's environment and database
 */
record Frame(
        String title,
        String style,
        String script,
        List<Link> nav,
        boolean live,
        boolean reloads,
        boolean fragment,
        boolean admin,
        String csrf,
        Optional<Note> message,
        Optional<String> problem,
        Optional<When> asOf,
        String reload,
        Optional<String> user,
        Optional<PageRequest.Place> place) {

    /**
     * The frame of a page that shows data.
     *
     * @param reloads whether it reloads itself in a browser without script; not if it has input fields
     */
    static Frame of(PageRequest request, String title, CachedQuery.Seen<?> seen, boolean reloads) {
        return of(request, title, Optional.of(seen), reloads);
    }

    static Frame of(PageRequest request, String title, Optional<CachedQuery.Seen<?>> seen, boolean reloads) {
        return new Frame(
                title,
                Assets.STYLE,
                Assets.SCRIPT,
                request.place().map(PageRequest.Place::links).orElse(List.of()),
                true,
                reloads,
                request.fragment(),
                request.buttons(),
                request.csrf(),
                request.message().map(message -> new Note(message.good() ? "good" : "error", message.text())),
                seen.map(CachedQuery.Seen::problem)
                        .filter(problem -> !problem.isEmpty())
                        .map(Format::text),
                seen.map(what -> Format.when(what.at(), Instant.now())),
                here(request),
                request.who().user().isEmpty()
                        ? Optional.empty()
                        : Optional.of(Format.text(request.who().user())),
                request.place());
    }

    private static String here(PageRequest request) {
        StringBuilder here = new StringBuilder(request.page().isEmpty() ? "./" : request.page());
        char next = '?';
        for (Map.Entry<String, String> param : request.query().entrySet()) {
            if (!param.getKey().equals("fragment")) {
                here.append(next)
                        .append(Format.query(param.getKey()))
                        .append('=')
                        .append(Format.query(param.getValue()));
                next = '&';
            }
        }
        return here.toString();
    }

    /** A frame with a title only. */
    static Frame bare(PageRequest request, String title) {
        return new Frame(
                title,
                Assets.STYLE,
                Assets.SCRIPT,
                List.of(),
                false,
                false,
                request.fragment(),
                false,
                "",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty());
    }

    /** The same without updates. */
    Frame still() {
        return new Frame(
                title, style, script, nav, false, false, fragment, admin, csrf, message, problem, asOf, reload, user,
                place);
    }

    /** A link to a page. */
    record Link(String href, String label, boolean current) {}

    /** The outcome of a button, and its colour. */
    record Note(String style, String text) {}
}
