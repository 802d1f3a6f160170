package dev.dibs.console;

import java.util.List;
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
