package dev.dibs.database;

import java.util.Optional;

/** What all forms of H2 have in common: it is on the class path, and has one user, with no password. */
abstract class AnyH2Database extends TestDatabase {

    AnyH2Database(String name) {
        super(name);
    }

    AnyH2Database(String name, String folder) {
        super(name, folder);
    }

    @Override
    public final String user() {
        return "sa";
    }

    @Override
    public final String password() {
        return "";
    }

    @Override
    final Optional<String> obstacle() {
        return Optional.empty();
    }
}
