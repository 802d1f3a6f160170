package dev.dibs.internal.claims.store;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.OwnerToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Claims of ranges of keys, in a table of Dibs, for work that processes every row once. The user's rows are not written.
 *
 * <p>A range is completed as a whole, or from its beginning. If one of its rows is treated otherwise, the range is scattered: each row that
 * is left becomes a claim, stored as {@link SideClaims} stores them. Only the database knows for certain whether a claim is a range, since
 * the caller's transaction may be rolled back. So each change is tried on the range first.
 */
public final class RangeClaims<T> implements ClaimStore<T> {

    private static final String FILE = "range";
    private static final String HIT = "dibs_range";

    /** Ranges without rows in a row. */
    private static final int MOST_EMPTY = 10;

    /** Rows that have left their range are few, and have to wait anyway. */
    private static final long LOOK_EVERY = TimeUnit.MILLISECONDS.toNanos(500);

    private final Statements statements;
    private final ClaimTable table;
    private final ClaimReader<T> reader;
    /** For rows that have left their range. */
    private final SideClaims<T> side;

    private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - LOOK_EVERY);

    /**
     * For one table.
     *
     * @param scope the name that all users of these ranges share
     */
    public RangeClaims(Statements statements, ClaimReader<T> reader, String scope, long lease) {
        this.table = reader.table();
        this.statements = statements.about(FILE, Map.of(), table.texts());
        this.reader = reader;
        this.side = new SideClaims<>(statements, reader, scope, lease, CompletionEffect.NONE);
    }

    /** First rows that have left their range and are free again, if it is time to look for them; then the next range. */
    @Override
    public Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen) {
        AtomicReference<Steps<ClaimedRow<T>>> steps = new AtomicReference<>();
        Runnable early = () -> steps.get().endEarly();
        if (isTimeForScattered()) {
            Params params = side.params(token).with("n", n);
            Call<SideMark> scattered = SideClaims.marks(Call.of(statements, "claim_scattered", params, SideMark::read));
            steps.set(Steps.of(scattered, more -> {
                List<ClaimedRow<T>> rows = side.claimed(token, scattered.rows(), more);
                return rows.isEmpty() ? withRows(claimRange(token, n, more), token, n, more, early) : rows;
            }));
        } else {
            Call<ClaimedRow<T>> claiming = claiming(token, n);
            steps.set(Steps.of(claiming, more -> withRows(claiming.rows(), token, n, more, early)));
        }
        return steps.get();
    }

    /** A range that another worker has left has only its last rows. */
    @Override
    public boolean leavesRows() {
        return true;
    }

    private List<ClaimedRow<T>> claimRange(String token, int n, Steps.Transactions more) throws SqlFailure {
        Call<ClaimedRow<T>> claiming = claiming(token, n);
        more.send(List.of(claiming));
        return claiming.rows();
    }

    /** A range that was taken over may have no rows left, since they were deleted: it is dropped, and the next one is claimed. */
    private List<ClaimedRow<T>> withRows(
            List<ClaimedRow<T>> claimed, String token, int n, Steps.Transactions more, Runnable early)
            throws SqlFailure {
        List<ClaimedRow<T>> rows = claimed;
        for (int empty = 1; rows.isEmpty(); empty++) {
            Call<Boolean> dropping = range("complete_range", token).labelled(HIT);
            more.send(List.of(dropping));
            if (dropping.rows().isEmpty()) {
                return List.of();
            }
            if (empty > MOST_EMPTY) {
                early.run();
                return List.of();
            }
            rows = claimRange(token, n, more);
        }
        return rows;
    }

    private boolean isTimeForScattered() {
        long now = System.nanoTime();
        long before = lookedAt.get();
        return now - before >= LOOK_EVERY && lookedAt.compareAndSet(before, now);
    }

    /** Refuses a row that no range would have, and adds the cursor if it does not exist. */
    @Override
    public void open(Opening opening) {
        Call<Boolean> first =
                Call.of(statements, "key_at_start", Params.none(), row -> true).labelled("dibs_first");
        Call<Boolean> adding =
                Call.of(statements, "open_ranges", side.scoped(), row -> true).colliding();
        opening.send("The start of the ranges", true, Steps.of(first, more -> {
            if (first.hit()) {
                throw new DatabaseFailureException(
                        table.table() + " has a row with the key " + Long.MIN_VALUE + ", which no range can have: give"
                                + " it another key, or keep the claims in a column with token(..)");
            }
            more.send(List.of(adding));
            return List.of();
        }));
    }

    private Call<ClaimedRow<T>> claiming(String token, int n) {
        return Call.of(statements, "claim_range", side.params(token).with("n", n), this::claimed);
    }

    private ClaimedRow<T> claimed(ResultSet row) throws SQLException {
        return reader.read(row, ClaimedRow.Origin.of(row.getLong(SideMark.UNTIL)));
    }

    @Override
    public Steps<ClaimedRow<T>> find(String token) {
        Call<ClaimedRow<T>> inRange =
                Call.of(statements, "find_range", side.params(token), row -> reader.read(row, ClaimedRow.Origin.FREE));
        return either(inRange, inRange::rows, () -> side.find(token));
    }

    @Override
    public Steps<RowKey> stillHeld(String token, List<RowKey> keys) {
        return from("still_range", token, keys, () -> side.stillHeld(token, keys));
    }

    @Override
    public Steps<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held) {
        if (token.equals(DEAD)) {
            return later(token, keys, 0, held);
        }
        return switch (change) {
            case RENEW -> from("renew_range", token, keys, () -> side.change(change, token, keys, 0, held));
            case COMPLETE -> complete(token, keys, held);
            case RELEASE ->
                new HashSet<>(keys).containsAll(held)
                        ? onRange(range("release_range", token), keys, () -> later(token, keys, 0, held))
                        : scatter(token, keys, held, later(token, keys, 0, held));
            case POSTPONE -> scatter(token, keys, held, later(token, keys, delayMillis, held));
            case DEAD_LETTER -> scatter(token, keys, held, side.change(change, token, keys, 0, held));
        };
    }

    /** A row that has left its range is postponed, never deleted: no claim would find it again. */
    private Steps<RowKey> later(String token, List<RowKey> keys, long delayMillis, List<RowKey> held) {
        return side.change(Change.POSTPONE, token, keys, delayMillis, held);
    }

    private Steps<RowKey> complete(String token, List<RowKey> keys, List<RowKey> held) {
        boolean first = held.size() >= keys.size() && new HashSet<>(held.subList(0, keys.size())).containsAll(keys);
        Supplier<Steps<RowKey>> single =
                () -> scatter(token, keys, held, side.change(Change.COMPLETE, token, keys, 0, held));
        if (!first) {
            return single.get();
        }
        if (held.size() == keys.size()) {
            return onRange(range("complete_range", token), keys, single);
        }
        Params params =
                side.params(token).with("first_key", held.get(keys.size()).asLong());
        return onRange(Call.of(statements, "advance_range", params, row -> true), keys, single);
    }

    private Call<Boolean> range(String statement, String token) {
        return Call.of(statements, statement, side.params(token), row -> true);
    }

    /** If the range exists, all the keys are done. */
    private static Steps<RowKey> onRange(Call<Boolean> call, List<RowKey> keys, Supplier<Steps<RowKey>> otherwise) {
        return either(call.labelled(HIT), () -> keys, otherwise);
    }

    /** If the range exists, those of the keys that it still has: the rows before its first key are completed. */
    private Steps<RowKey> from(String statement, String token, List<RowKey> keys, Supplier<Steps<RowKey>> otherwise) {
        Call<Long> hit = Call.of(statements, statement, side.params(token), row -> row.getLong(1))
                .labelled(HIT);
        return either(
                hit,
                () -> keys.stream()
                        .filter(key -> key.asLong() >= hit.rows().get(0))
                        .toList(),
                otherwise);
    }

    /** An operation on a range, or on single claims if there is none: then it was scattered. */
    private static <R> Steps<R> either(Call<?> hit, Supplier<List<R>> answer, Supplier<Steps<R>> otherwise) {
        return Steps.of(hit, more -> hit.rows().isEmpty() ? otherwise.get().send(more) : answer.get());
    }

    /** Scatters the range, if there is one, and goes on with the single claims. */
    private Steps<RowKey> scatter(String token, List<RowKey> keys, List<RowKey> held, Steps<RowKey> next) {
        Set<RowKey> known = new LinkedHashSet<>(held);
        known.addAll(keys);
        Params params = table.withKeys(side.params(token), List.copyOf(known));
        List<Call<?>> calls = new ArrayList<>();
        calls.add(Call.of(statements, "scatter_range", params, row -> true).labelled(HIT));
        calls.addAll(next.calls());
        return Steps.of(calls, next::result);
    }

    @Override
    public Steps<RowKey> releaseToken(String token) {
        Call<RowKey> found = Call.of(statements, "find_range", side.params(token), table::keyOf);
        Call<Boolean> hit = range("release_range", token).labelled(HIT);
        Call<RowKey> single = Call.of(
                statements, "release_scattered", side.params(token), row -> table.parse(row.getString(SideMark.ROW)));
        // A change comes first: on SQLite, a transaction that has read may not be able to write.
        List<Call<?>> calls = new ArrayList<>();
        calls.add(single.labelled(SideMark.ROW));
        calls.add(found);
        calls.add(hit);
        return Steps.of(calls, () -> {
            // A locked range is skipped.
            List<RowKey> keys = new ArrayList<>(hit.rows().isEmpty() ? List.of() : found.rows());
            keys.addAll(single.rows());
            return keys;
        });
    }

    @Override
    public Call<Boolean> left(List<RowKey> but) {
        return Call.of(statements, "left_range", side.scoped(), row -> true).labelled("is_left");
    }

    /** A dead row has left its range. */
    @Override
    public Steps<RowKey> dead() {
        return side.dead();
    }

    @Override
    public boolean changesRows() {
        return false;
    }

    @Override
    public Call<Long> count() {
        return Call.of(statements, "count_range", side.scoped(), row -> row.getLong(1))
                .labelled("to_do");
    }

    @Override
    public List<Call<?>> trial() {
        String nobody = OwnerToken.next();
        List<Call<?>> calls = new ArrayList<>();
        calls.add(claiming(nobody, 1));
        calls.addAll(find(nobody).calls());
        calls.addAll(change(Change.POSTPONE, nobody, List.of(), 0, List.of()).calls());
        calls.add(side.readingNothing());
        calls.add(left(List.of()));
        calls.add(count());
        return calls;
    }
}
