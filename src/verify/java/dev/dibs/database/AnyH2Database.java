package dev.dibs.database;

import java.util.Optional;

/** The common part of all forms of H2: it is on the class path, and has one user, without a password. */
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
    public final boolean claimsViews(int keyColumns) {
        return false;
    }

    @Override
    final Optional<String> obstacle() {
        return Optional.empty();
    }
}
