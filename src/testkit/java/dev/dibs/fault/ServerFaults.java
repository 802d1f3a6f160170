package dev.dibs.fault;

import dev.dibs.fault.Fault.Scope;
import java.sql.Connection;
import java.util.List;

/** Faults of a database as a whole. */
final class ServerFaults {

    private ServerFaults() {}

    static List<Fault> all() {
        return List.of(
                new Fault("the database is killed, and comes back", Scope.SERVER, (setup, worker, length, random) -> {
                    setup.killDatabase();
                    return () -> {
                        setup.database().database().startAgain();
                        // It may have forgotten the setting.
                        readOnly(setup, false);
                    };
                }),
                readOnly());
    }

    private static Fault readOnly() {
        return new Fault("the database is read-only", Scope.SERVER, (setup, worker, length, random) -> {
            readOnly(setup, true);
            return () -> readOnly(setup, false);
        });
    }

    private static void readOnly(FaultSetup setup, boolean on) throws Exception {
        try (Connection admin = setup.database().admin()) {
            setup.database().readOnly(admin, on);
        }
    }
}
