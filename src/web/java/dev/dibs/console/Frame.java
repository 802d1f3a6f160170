package dev.dibs.console;

import java.util.List;
import java.util.Optional;

/**
 * What every page has around it.
 *
 * @param title its heading
 * @param style where the stylesheet is
 * @param script where the script is
 * @param nav links to the pages
 * @param live whether it is kept up to date
 * @param reloads whether it reloads itself where there is no script
 * @param fragment whether only what is kept up to date is wanted
 * @param admin whether there are buttons
 * @param csrf what these send along
 * @param message what came of the last one
 * @param problem why the page is not up to date; empty if it is
 * @param asOf when it was read
 * @param reload where the page is
 * @param user who looks at it
 * @param place where the console is
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

    /** It stays as it is. */
    Frame still() {
        return new Frame(
                title, style, script, nav, false, false, fragment, admin, csrf, message, problem, asOf, reload, user,
                place);
    }

    /** To a page. */
    record Link(String href, String label, boolean current) {}

    /** What came of a button, and how it is coloured. */
    record Note(String style, String text) {}
}
