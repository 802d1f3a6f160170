package dev.dibs.database;

import java.util.Optional;

/** A database that the tests cannot start: it runs if the build gets its address. A subclass says how it differs. */
class GivenDatabase extends TestDatabase {

    GivenDatabase(String name) {
        super(name, name, GivenServer.of(name).orElse(null));
    }

    @Override
    final Optional<String> obstacle() {
        return Optional.of(
                "No server is given: -D" + GivenServer.property(name()) + "=jdbc:.. with .user and .password");
    }

    @Override
    final String ownUser() {
        throw notOurs();
    }

    @Override
    public final String urlAt(int port) {
        throw notOurs();
    }

    @Override
    final int ownPort() {
        throw notOurs();
    }

    @Override
    final void start() {
        throw notOurs();
    }

    @Override
    final void crash() {
        throw notOurs();
    }

    private UnsupportedOperationException notOurs() {
        return new UnsupportedOperationException("The tests do not start " + name());
    }
}
