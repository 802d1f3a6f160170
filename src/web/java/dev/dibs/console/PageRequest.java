package dev.dibs.console;

import java.util.Map;
import java.util.Optional;

/**
 * Somebody asks for a page, or to do something.
 *
 * @param page which one, without a slash; empty for the first one
 * @param query what stands behind the question mark
 * @param form what was sent with a button; empty for a page
 * @param who who asks
 * @param json whether a program does
 * @param fragment whether only the part that changes is wanted
 * @param csrf what a button must send along; empty if there are no buttons
 * @param message what came of the last button
 * @param place where the console is; empty for somebody who may not know
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
     * Who asks.
     *
     * @param user the name, or where there is none what stands for it
     * @param address where the request came from
     * @param admin whether they may press buttons
     */
    record Who(String user, String address, boolean admin) {}

    /**
     * Where the console is.
     *
     * @param environment what the people who run it call it, such as production; may be empty
     * @param database which database it shows; empty while that cannot be asked
     * @param signOut what to post to for the end of a session; may be empty
     */
    record Place(String environment, String database, String signOut) {

        /** If there is one. */
        Optional<String> label() {
            return environment.isEmpty() ? Optional.empty() : Optional.of(environment);
        }

        /** If there is one. */
        Optional<String> end() {
            return signOut.isEmpty() ? Optional.empty() : Optional.of(signOut);
        }

        /** For the title of a window. */
        String title() {
            return environment.isEmpty() || database.isEmpty()
                    ? environment + database
                    : environment + " – " + database;
        }
    }

    /** The same, by somebody who may know where the console is. */
    PageRequest at(Place where) {
        return new PageRequest(page, query, form, who, json, fragment, csrf, message, Optional.of(where));
    }

    String param(String name) {
        return query.getOrDefault(name, "");
    }

    String field(String name) {
        return form.getOrDefault(name, "").strip();
    }

    /** Whether there are buttons. */
    boolean buttons() {
        return who.admin() && !csrf.isEmpty();
    }

    /** A number from 1 on; what is none counts as the least. */
    int number(String name, int least, int most) {
        try {
            return Math.max(least, Math.min(most, Integer.parseInt(param(name))));
        } catch (NumberFormatException e) {
            return least;
        }
    }
}
