package dev.dibs.console;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A request for a page or an action.
 *
 * @param page the page, without a slash; empty for the first one
 * @param query the parameters after the question mark
 * @param form the fields that a button sent; empty for a page
 * @param who the visitor
 * @param json whether the visitor is a program
 * @param fragment whether only the part that changes is wanted
 * @param csrf the secret that a button must send; empty if there are no buttons
 * @param message the outcome of the last button
 * @param place the console's environment and database; empty for a visitor without a role
 */
record PageRequest(
        String page,
        Map<String, String> query,
        Map<String, String> form,
        Who who,
        boolean json,
        boolean fragment,
        String csrf,
        Optional<Message> message,
        Optional<Place> place) {

    /**
     * The visitor.
     *
     * @param user the name, or a substitute if there is none
     * @param address where the request came from
     * @param admin whether the visitor may press buttons
     */
    record Who(String user, String address, boolean admin) {}

    /**
     * Where the console is.
     *
     * @param environment the operators' name for it, such as production; may be empty
     * @param database the database that it shows; empty while that is not known
     * @param signOut the address that ends a session on POST; may be empty
     * @param links the links to the pages
     */
    record Place(String environment, String database, String signOut, List<Frame.Link> links) {

        /** If there is one. */
        Optional<String> label() {
            return environment.isEmpty() ? Optional.empty() : Optional.of(environment);
        }

        /** If there is one. */
        Optional<String> end() {
            return signOut.isEmpty() ? Optional.empty() : Optional.of(signOut);
        }

        /** The text for the title of a window. */
        String title() {
            return environment.isEmpty() || database.isEmpty()
                    ? environment + database
                    : environment + " – " + database;
        }
    }

    /** The same request, by a visitor that may know where the console is. */
    PageRequest at(Place where) {
        return new PageRequest(page, query, form, who, json, fragment, csrf, message, Optional.of(where));
    }

    String param(String name) {
        return query.getOrDefault(name, "");
    }

    String field(String name) {
        return form.getOrDefault(name, "").strip();
    }

    /** Whether one of these texts has what the visitor searches for. */
    boolean finds(String... texts) {
        String wanted = param("q").toLowerCase(Locale.ROOT);
        return Stream.of(texts).anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(wanted));
    }

    /** The part of a long list, from 1. */
    int part() {
        return number("part", 1, Integer.MAX_VALUE);
    }

    /** Whether there are buttons. */
    boolean buttons() {
        return who.admin() && !csrf.isEmpty();
    }

    /** A number parameter within these bounds; an invalid value counts as the least. */
    int number(String name, int least, int most) {
        try {
            return Math.max(least, Math.min(most, Integer.parseInt(param(name))));
        } catch (NumberFormatException e) {
            return least;
        }
    }
}
