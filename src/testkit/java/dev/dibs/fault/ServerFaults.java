package dev.dibs.fault;

import dev.dibs.fault.Fault.Scope;
import java.sql.Connection;
import java.util.List;

/** Faults of a database as a whole. */
final class ServerFaults {

    private ServerFaults() {}

    static List<Fault> all() {
        return List.of(
                new Fault("the database is killed, and comes back", Scope.SERVER, (site, worker, length, random) -> {
                    site.killDatabase();
                    return () -> {
                        site.ground().database().startAgain();
                        // It may have forgotten the setting.
                        readOnly(site, false);
                    };
                }),
                readOnly());
    }

    private static Fault readOnly() {
        return new Fault("the database is read-only", Scope.SERVER, (site, worker, length, random) -> {
            readOnly(site, true);
            return () -> readOnly(site, false);
        });
    }

    private static void readOnly(Site site, boolean on) throws Exception {
        try (Connection admin = site.ground().admin()) {
            site.ground().readOnly(admin, on);
        }
    }
}
