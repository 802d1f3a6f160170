package dev.dibs.fault.worker;

import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Claims some rows, completes some directly and some in a transaction with their effects, and releases the others. */
record ClaimTask(WorkerContext context, String table, RowClaims<RowKey> claims) implements Task {

    @Override
    public void run() throws SQLException {
        Entry asked = context.next(OperationKind.CLAIM, table).invoke();
        try (Claim<RowKey> claim = claim(asked)) {
            List<RowKey> alone = new ArrayList<>();
            List<RowKey> joined = new ArrayList<>();
            for (RowKey key : claim.keys()) {
                if (context.chance(90)) {
                    (context.chance(50) ? alone : joined).add(key);
                }
            }
            context.dawdle();
            if (context.chance(10)) {
                claim.release(alone);
            }
            if (!alone.isEmpty()) {
                complete(asked.op(), claim, alone);
            }
            if (!joined.isEmpty()) {
                completeInTransaction(asked.op(), claim, joined);
            }
            if (context.chance(20)) {
                claim.postpone(claim.keys(), Duration.ofMillis(50));
            }
        }
    }

    private Claim<RowKey> claim(Entry asked) {
        OperationState state = OperationState.UNKNOWN;
        try {
            Claim<RowKey> claim = claims.claim(1 + context.random().nextInt(4));
            asked.value(targets(claim.keys()));
            state = OperationState.OK;
            return claim;
        } finally {
            asked.end(state);
        }
    }

    private void complete(String asked, Claim<RowKey> claim, List<RowKey> keys) {
        Entry complete = context.next(OperationKind.COMPLETE, table)
                .claim(asked)
                .value(targets(keys))
                .invoke();
        OperationState state = OperationState.UNKNOWN;
        try {
            ClaimResult result = context.chance(30) ? completeAndClaim(claim, keys) : claim.complete(keys);
            complete.value(targets(result.done()));
            state = OperationState.OK;
        } finally {
            complete.end(state);
        }
    }

    private static ClaimResult completeAndClaim(Claim<RowKey> claim, List<RowKey> keys) {
        var turn = claim.completeAndClaim(keys, 1);
        turn.next().close();
        return turn.completed();
    }

    private void completeInTransaction(String asked, Claim<RowKey> claim, List<RowKey> keys) throws SQLException {
        Entry complete = context.next(OperationKind.COMPLETE_IN_TRANSACTION, table)
                .claim(asked)
                .value(targets(keys))
                .invoke();
        Commit.attempt(context.dataSource(), complete, tx -> {
            ClaimResult result = claim.complete(tx, keys);
            for (RowKey key : result.done()) {
                Tables.effect(tx, Tables.target(table, key), complete.op());
            }
            complete.value(targets(result.done()));
            return true;
        });
    }

    private String targets(List<RowKey> keys) {
        return keys.stream().map(key -> Tables.target(table, key)).collect(Collectors.joining(" "));
    }
}
