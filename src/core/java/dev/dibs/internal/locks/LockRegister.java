package dev.dibs.internal.locks;

import dev.dibs.DatabaseFailureException;
import dev.dibs.LeaseInfo;
import dev.dibs.internal.acquire.calls.PlainLockCalls;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Strings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All leases that are held, by any process: to list them, and to take them from their holders. */
public record LockRegister(Context context, LeaseKeeper keeper) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** All but ONCE, whose table also has rows of work that is not being done. */
    private static final List<LeaseKind> LISTED =
            List.of(LeaseKind.LOCK, LeaseKind.PERMIT, LeaseKind.GATE, LeaseKind.READER);

    private static final String BROKEN = "it was broken by force";

    public List<LeaseInfo> locks() {
        return withoutMaintenance(held(List.of(LeaseKind.LOCK)));
    }

    public List<LeaseInfo> leases() {
        return withoutMaintenance(held(LISTED));
    }

    public List<LeaseInfo> allLeases() {
        return held(LISTED);
    }

    public List<LeaseInfo> waiters() {
        return context.list(
                LeaseKind.TICKET.listing(),
                () -> list(LeaseKind.TICKET).stream()
                        .map(row -> row.info(LeaseKind.TICKET))
                        .sorted(Comparator.comparing(LeaseInfo::name).thenComparing(LeaseInfo::fencingToken))
                        .toList());
    }

    private static List<LeaseInfo> withoutMaintenance(List<LeaseInfo> leases) {
        return leases.stream().filter(lease -> !lease.isMaintenance()).toList();
    }

    private List<LeaseInfo> held(List<LeaseKind> kinds) {
        return context.ask(() -> {
            List<LeaseInfo> held = new ArrayList<>();
            for (LeaseKind kind : listable(kinds)) {
                list(kind).forEach(row -> held.add(row.listed(kind)));
            }
            held.sort(Comparator.comparing(LeaseInfo::name)
                    .thenComparing(LeaseInfo::kind)
                    .thenComparing(LeaseInfo::since));
            return List.copyOf(held);
        });
    }

    private List<LeaseRow> list(LeaseKind kind) throws SqlFailure {
        return kind.list(context.database(), TIMEOUT);
    }

    /** The kinds whose table exists. */
    private List<LeaseKind> listable(List<LeaseKind> kinds) {
        List<String> listable =
                context.schema().listable(kinds.stream().map(LeaseKind::listing).toList());
        return kinds.stream().filter(kind -> listable.contains(kind.listing())).toList();
    }

    /** The same. If none of the kinds has a table, the statement itself shows why: a table may be hidden from this user. */
    private List<LeaseKind> breakable(List<LeaseKind> kinds) {
        List<LeaseKind> listable = listable(kinds);
        return listable.isEmpty() ? kinds : listable;
    }

    public List<LeaseInfo> breakLeases(String name, LeaseInfo.Kind... kinds) {
        if (Arguments.required("kind", kinds).length == 0) {
            throw new IllegalArgumentException("break '" + name + "' needs at least one kind of lease");
        }
        return breakLeases(name, ofLeases(kinds), any -> true);
    }

    /** By its owner token, so that its successor does not lose its lease. */
    public boolean breakLease(LeaseInfo lease) {
        return !breakLeases(lease.name(), ofLeases(lease.kind()), now -> isSame(now, lease))
                .isEmpty();
    }

    /** A transaction has no lease. */
    private static List<LeaseKind> ofLeases(LeaseInfo.Kind... kinds) {
        return Stream.of(kinds)
                .filter(kind -> kind != LeaseInfo.Kind.TRANSACTION)
                .map(LeaseKind::of)
                .toList();
    }

    /** Whether they are one acquisition. Readers have the fencing token of the writer before them. */
    private static boolean isSame(LeaseInfo one, LeaseInfo other) {
        return one.fencingToken() == other.fencingToken()
                && one.since().equals(other.since())
                && one.holder().equals(other.holder());
    }

    private List<LeaseInfo> breakLeases(String name, List<LeaseKind> kinds, Predicate<LeaseInfo> which) {
        List<LeaseInfo> broken = new ArrayList<>();
        List<String> locked = context.ask(() -> breakLeases(name, breakable(kinds), which, broken));
        if (!locked.isEmpty()) {
            throw new DatabaseFailureException(
                    "'" + name + "' could not be broken for " + String.join(", ", locked) + ": a row is locked, as by a"
                            + " guarded transaction. " + broken.size() + " other holders have lost it. Try again when"
                            + " that has ended");
        }
        return broken;
    }

    /** Returns the holders whose rows are locked. */
    private List<String> breakLeases(
            String name, List<LeaseKind> kinds, Predicate<LeaseInfo> which, List<LeaseInfo> broken) throws SqlFailure {
        List<String> locked = new ArrayList<>();
        for (LeaseKind kind : kinds) {
            List<LeaseRow> rows = list(kind).stream()
                    .filter(row -> row.name().equals(name) && row.isHeld() && which.test(row.info(kind)))
                    .toList();
            Set<String> left = rows.isEmpty() ? Set.of() : release(kind, rows);
            for (LeaseRow row : rows) {
                if (left.contains(row.owner())) {
                    locked.add(Strings.orEmpty(row.holder()));
                } else {
                    broken.add(row.info(kind));
                    loseHere(row);
                }
            }
        }
        return locked;
    }

    /**
     * Releases them as their holders would, by their owner tokens, so that a later holder does not lose its lease. Returns the owners that
     * still have theirs.
     */
    private Set<String> release(LeaseKind kind, List<LeaseRow> rows) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys(rows.stream()
                .map(row -> new LeaseKeys.Key(row.name(), row.owner()))
                .toList());
        Patience patience = RetryPolicy.BREAK.begin();
        Set<String> left;
        do {
            kind.release(context.database(), keys, 0, TIMEOUT);
            left = kind.find(context.database(), keys, TIMEOUT).keySet();
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
                            + before.map(LeaseRow::holder).orElse("its holder") + ". Try again when that has ended");
        }
        before.ifPresent(this::loseHere);
        return before.filter(LeaseRow::isHeld).map(row -> row.info(LeaseKind.LOCK));
    }

    private List<LeaseRow> breakRow(String name) {
        return context.ask(() -> LeaseKind.LOCK.breakOne(context.database(), name, TIMEOUT));
    }

    private static boolean isStillThere(List<LeaseRow> rows) {
        return !rows.isEmpty() && rows.stream().noneMatch(row -> row.owner() == null);
    }

    /** Acquires a lock that is neither renewed nor released: it expires. */
    public boolean take(Database database, String name, Duration length) throws SqlFailure {
        LeaseKeys.Key key = new LeaseKeys.Key(name, OwnerToken.next());
        List<LeaseRow> rows =
                new PlainLockCalls(database).acquire(key, Label.label(context.holder()), length.toMillis());
        return rows.stream().anyMatch(row -> row.isOwnedBy(key.owner()));
    }
}
