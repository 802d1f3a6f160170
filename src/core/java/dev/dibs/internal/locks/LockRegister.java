package dev.dibs.internal.locks;

import dev.dibs.DatabaseFailureException;
import dev.dibs.LeaseInfo;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Texts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** All leases that are held, by any process: to list them, and to take them from their holders. */
public final class LockRegister {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** All but ONCE, whose table also has rows of work that is not being done. */
    private static final LeaseInfo.Kind[] LISTED = {
        LeaseInfo.Kind.LOCK, LeaseInfo.Kind.PERMIT, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER
    };

    private static final String BROKEN = "it was broken by force";

    private final Database database;
    private final LeaseKeeper keeper;
    private final Errors errors;
    private final Schema schema;

    public LockRegister(Database database, LeaseKeeper keeper, Errors errors, Schema schema) {
        this.database = database;
        this.keeper = keeper;
        this.errors = errors;
        this.schema = schema;
    }

    public List<LeaseInfo> locks() {
        return withoutMaintenance(held(LeaseInfo.Kind.LOCK));
    }

    public List<LeaseInfo> leases() {
        return withoutMaintenance(held(LISTED));
    }

    public List<LeaseInfo> allLeases() {
        return held(LISTED);
    }

    public List<LeaseInfo> waiters() {
        keeper.requireOpen();
        try {
            if (schema.listable(List.of(LeaseKind.TICKET.listing())).isEmpty()) {
                return List.of();
            }
            return LeaseKind.TICKET.list(database, TIMEOUT).stream()
                    .map(row -> row.info(LeaseKind.TICKET))
                    .sorted(Comparator.comparing(LeaseInfo::name).thenComparing(LeaseInfo::fencingToken))
                    .toList();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    private static List<LeaseInfo> withoutMaintenance(List<LeaseInfo> leases) {
        return leases.stream().filter(lease -> !lease.isMaintenance()).toList();
    }

    private List<LeaseInfo> held(LeaseInfo.Kind... kinds) {
        keeper.requireOpen();
        List<LeaseInfo> held = new ArrayList<>();
        try {
            for (LeaseInfo.Kind kind : listable(kinds)) {
                leases(kind).list(database, TIMEOUT).forEach(row -> held.add(row.info(leases(kind))));
            }
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
        held.sort(Comparator.comparing(LeaseInfo::name)
                .thenComparing(LeaseInfo::kind)
                .thenComparing(LeaseInfo::since));
        return List.copyOf(held);
    }

    /** The kinds whose table exists. */
    private List<LeaseInfo.Kind> listable(LeaseInfo.Kind... kinds) {
        List<String> listable = schema.listable(
                Stream.of(kinds).map(kind -> leases(kind).listing()).toList());
        return Stream.of(kinds)
                .filter(kind -> listable.contains(leases(kind).listing()))
                .toList();
    }

    /** The same. If none of the kinds has a table, the statement itself shows why: a table may be hidden from this user. */
    private List<LeaseInfo.Kind> breakable(LeaseInfo.Kind... kinds) {
        List<LeaseInfo.Kind> listable = listable(kinds);
        return listable.isEmpty() ? List.of(kinds) : listable;
    }

    public List<LeaseInfo> breakLeases(String name, LeaseInfo.Kind... kinds) {
        if (Arguments.required("kind", kinds).length == 0) {
            throw new IllegalArgumentException("break '" + name + "' needs at least one kind of lease");
        }
        keeper.requireOpen();
        List<LeaseInfo> broken = new ArrayList<>();
        List<String> locked = new ArrayList<>();
        try {
            for (LeaseInfo.Kind kind : breakable(kinds)) {
                List<LeaseRow> rows = leases(kind).list(database, TIMEOUT).stream()
                        .filter(row -> row.name().equals(name) && row.isHeld())
                        .toList();
                Set<String> left = rows.isEmpty() ? Set.of() : release(leases(kind), rows);
                for (LeaseRow row : rows) {
                    if (left.contains(row.owner())) {
                        locked.add(Texts.orEmpty(row.holder()));
                    } else {
                        broken.add(row.info(leases(kind)));
                        loseHere(row);
                    }
                }
            }
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
        if (!locked.isEmpty()) {
            throw new DatabaseFailureException(
                    "'" + name + "' could not be broken for " + String.join(", ", locked) + ": a row is locked, as by a"
                            + " guarded transaction. " + broken.size() + " other holders have lost it. Try again when"
                            + " that has ended",
                    null);
        }
        return broken;
    }

    private static LeaseKind leases(LeaseInfo.Kind kind) {
        return switch (kind) {
            case LOCK -> LeaseKind.LOCK;
            case PERMIT -> LeaseKind.PERMIT;
            case WRITER -> LeaseKind.GATE;
            case READER -> LeaseKind.READER;
            case ONCE -> LeaseKind.ONCE;
        };
    }

    /**
     * Releases them as their holders would, by their owner tokens, so that a later holder does not lose its lease. Returns the owners that
     * still have theirs.
     */
    private Set<String> release(LeaseKind kind, List<LeaseRow> rows) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys();
        rows.forEach(row -> keys.add(row.name(), row.owner()));
        Patience patience = RetryPolicy.BREAK.begin();
        Set<String> left;
        do {
            kind.release(database, keys, 0, TIMEOUT);
            left = kind.find(database, keys, TIMEOUT).keySet();
        } while (!left.isEmpty() && patience.pausesForAnother());
        return left;
    }

    private void loseHere(LeaseRow row) {
        HeldLease lease = keeper.byOwner(row.owner());
        if (lease != null) {
            lease.lose(BROKEN);
        }
    }

    public Optional<LeaseInfo> breakLock(String name) {
        keeper.requireOpen();
        List<LeaseRow> rows = breakRow(name);
        Patience patience = RetryPolicy.BREAK.begin();
        while (isStillThere(rows) && patience.pausesForAnother()) {
            rows = breakRow(name);
        }
        Optional<LeaseRow> before =
                rows.stream().filter(row -> row.owner() != null).findFirst();
        if (isStillThere(rows)) {
            throw new DatabaseFailureException(
                    "'" + name + "' could not be broken: its row is locked, as by a guarded transaction of "
                            + before.map(LeaseRow::holder).orElse("its holder") + ". Try again when that has ended",
                    null);
        }
        before.ifPresent(this::loseHere);
        return before.filter(LeaseRow::isHeld).map(row -> row.info(LeaseKind.LOCK));
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

    /** Acquires a lock that is neither renewed nor released: it expires. */
    public static boolean take(Database database, String name, String holder, Duration length) throws SqlFailure {
        String owner = OwnerToken.next();
        return new LockRequest(database, name)
                .acquire(owner, holder, length.toMillis()).stream().anyMatch(row -> row.isOwnedBy(owner));
    }
}
