package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.Batcher;
import dev.dibs.internal.sql.Batcher.OneOrMany;
import dev.dibs.internal.sql.Call;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Features.Together;
import dev.dibs.internal.sql.SqlFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Completions of claimed rows. Each has a statement of its own, or is part of a batch: where many come at the same time for the same
 * claims, and the dialect wants it. A batch waits for no row lock. Of each claim it completes all rows that are asked for, or none. A
 * caller whose rows were not completed asks alone.
 */
final class ClaimCompletions implements OneOrMany<ClaimCompletions.CompleteCall, Optional<List<RowKey>>> {

    /** A call for more rows gains nothing in a batch, and would delay others. */
    static final int MOST_ROWS = 100;

    /** How long to queue. All callers that may send may be waiting for locked rows, which need not be ours. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final ClaimStore<?> store;
    private final Duration timeout;
    private final Together how;
    private final boolean inTransaction;
    private final @Nullable Batcher batcher;

    /** It has a batcher of its own: other statements must not queue behind a completion that waits for a row lock. */
    ClaimCompletions(Database database, ClaimStore<?> store, Duration timeout) {
        this.database = database;
        this.store = store;
        this.timeout = timeout;
        this.how = database.statements().features().completionsTogether();
        this.inTransaction = database.statements().features().completesInTransaction();
        this.batcher = store instanceof TableClaims<?> && how != Together.ONE_BY_ONE ? new Batcher() : null;
    }

    /** Rows that a claim wants to complete; {@code held} are all rows that it has. */
    record CompleteCall(String token, List<RowKey> keys, List<RowKey> held) {}

    /** Asks once, or again alone if the batch did nothing for this call. Returns the rows that were completed. */
    List<RowKey> complete(CompleteCall call) throws SqlFailure {
        if (batcher != null && call.keys.size() <= MOST_ROWS) {
            try {
                Optional<List<RowKey>> done = batcher.ask(this, call, PATIENCE);
                if (done.isPresent()) {
                    return done.get();
                }
            } catch (SqlFailure e) {
                if (!e.isUndoneForMany()) {
                    throw e;
                }
            }
        }
        return alone(call);
    }

    private List<RowKey> alone(CompleteCall call) throws SqlFailure {
        ClaimStore.Asked<RowKey> asked = store.change(ClaimStore.Change.COMPLETE, call.token, call.keys, 0, call.held);
        asked.sendBy(this::transact);
        return asked.rows();
    }

    private void transact(List<Call<?>> calls) throws SqlFailure {
        if (inTransaction) {
            database.transact(calls, List::of, timeout);
        } else {
            database.transact(calls, timeout);
        }
    }

    /** Two calls of the same claim may want the same row, which is completed for one of them. */
    @Override
    public Object key(CompleteCall call) {
        return call.token;
    }

    @Override
    public Optional<List<RowKey>> one(CompleteCall call) throws SqlFailure {
        return Optional.of(alone(call));
    }

    /** An answer is empty if nothing was done for its claim. */
    @Override
    public List<Optional<List<RowKey>>> many(List<CompleteCall> calls) throws SqlFailure {
        List<RowKey> keys = new ArrayList<>();
        List<String> tokens = new ArrayList<>();
        for (CompleteCall call : calls) {
            keys.addAll(call.keys);
            tokens.addAll(Collections.nCopies(call.keys.size(), call.token));
        }
        Map<String, List<RowKey>> done = send(((TableClaims<?>) store).completeEach(keys, tokens)).stream()
                .collect(Collectors.groupingBy(
                        TableClaims.Completed::token,
                        Collectors.mapping(TableClaims.Completed::key, Collectors.toList())));
        return calls.stream()
                .map(call -> Optional.ofNullable(done.get(call.token)))
                .toList();
    }

    private List<TableClaims.Completed> send(Call<TableClaims.Completed> call) throws SqlFailure {
        if (how == Together.TRANSACTION) {
            return database.transactIf(call, rows -> true, timeout);
        }
        database.transact(List.of(call), timeout);
        return call.rows();
    }

    @Override
    public Optional<List<RowKey>> notSent(SqlFailure failure) {
        return Optional.empty();
    }
}
