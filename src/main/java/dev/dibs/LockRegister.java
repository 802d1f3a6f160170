package dev.dibs;

import dev.dibs.core.Errors;
import dev.dibs.core.OwnerToken;
import dev.dibs.sql.Database;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** All locks, whoever holds them: to be listed, and taken from their holders. */
final class LockRegister {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Database database;
    private final LeaseKeeper keeper;
    private final Errors errors;

    LockRegister(Database database, LeaseKeeper keeper, Errors errors) {
        this.database = database;
        this.keeper = keeper;
        this.errors = errors;
    }

    List<LockInfo> list() {
        keeper.requireOpen();
        try {
            return LeaseKind.LOCK.list(database, TIMEOUT).stream()
                    .map(LeaseRow::info)
                    .toList();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    Optional<LockInfo> breakLock(String name) {
        keeper.requireOpen();
        List<LeaseRow> rows = breakRow(name);
        if (isStillThere(rows)) {
            // Its holder may have been renewing or releasing it at that moment.
            rows = breakRow(name);
        }
        Optional<LeaseRow> before =
                rows.stream().filter(row -> row.owner() != null).findFirst();
        if (isStillThere(rows)) {
            throw new DibsException(
                    "'" + name + "' could not be broken: its row is locked, as by a guarded transaction of "
                            + before.map(LeaseRow::holder).orElse("its holder") + ". Try again when that has ended",
                    null);
        }
        before.map(row -> keeper.byOwner(row.owner())).ifPresent(lease -> lease.lose("it was broken by force"));
        return before.filter(LeaseRow::isHeld).map(LeaseRow::info);
    }

    private List<LeaseRow> breakRow(String name) {
        try {
            return LeaseKind.LOCK.breakOne(database, name, TIMEOUT);
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    private static boolean isStillThere(List<LeaseRow> rows) {
        return !rows.isEmpty() && rows.stream().noneMatch(row -> row.owner() == null);
    }

    /** Takes a lock that nobody renews or releases: it passes by time. */
    static boolean take(Database database, String name, String holder, Duration length) throws SqlFailure {
        String owner = OwnerToken.next();
        return new LockRequest(database, name)
                .acquire(owner, holder, length.toMillis()).stream().anyMatch(row -> row.isOwnedBy(owner));
    }
}
