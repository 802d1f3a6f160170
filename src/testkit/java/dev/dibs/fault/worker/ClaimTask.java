package dev.dibs.fault.worker;

import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Claims some rows, completes some directly and some in a transaction with their effects, and releases the others. */
final class ClaimTask implements Task {
    private final Hand hand;
    private final String table;
    private final RowClaims<RowKey> claims;

    ClaimTask(Hand hand, String table, RowClaims<RowKey> claims) {
        this.hand = hand;
        this.table = table;
        this.claims = claims;
    }

    @Override
    public void run() throws SQLException {
        Entry asked = hand.next(Act.CLAIM, table).invoke();
        try (Claim<RowKey> claim = claim(asked)) {
            List<RowKey> alone = new ArrayList<>();
            List<RowKey> joined = new ArrayList<>();
            for (RowKey key : claim.keys()) {
                if (hand.chance(90)) {
                    (hand.chance(50) ? alone : joined).add(key);
                }
            }
            hand.dawdle();
            if (hand.chance(10)) {
                claim.release(alone);
            }
            if (!alone.isEmpty()) {
                complete(asked.op(), claim, alone);
            }
            if (!joined.isEmpty()) {
                completeInTransaction(asked.op(), claim, joined);
            }
            if (hand.chance(20)) {
                claim.postpone(claim.keys(), Duration.ofMillis(50));
            }
        }
    }

    private Claim<RowKey> claim(Entry asked) {
        Stage stage = Stage.UNKNOWN;
        try {
            Claim<RowKey> claim = claims.claim(1 + hand.random().nextInt(4));
            asked.value(targets(claim.keys()));
            stage = Stage.OK;
            return claim;
        } finally {
            asked.end(stage);
        }
    }

    private void complete(String asked, Claim<RowKey> claim, List<RowKey> keys) {
        Entry complete =
                hand.next(Act.COMPLETE, table).claim(asked).value(targets(keys)).invoke();
        Stage stage = Stage.UNKNOWN;
        try {
            ClaimResult result = hand.chance(30) ? completeAndClaim(claim, keys) : claim.complete(keys);
            complete.value(targets(result.done()));
            stage = Stage.OK;
        } finally {
            complete.end(stage);
        }
    }

    private static ClaimResult completeAndClaim(Claim<RowKey> claim, List<RowKey> keys) {
        var turn = claim.completeAndClaim(keys, 1);
        turn.next().close();
        return turn.completed();
    }

    private void completeInTransaction(String asked, Claim<RowKey> claim, List<RowKey> keys) throws SQLException {
        Entry complete = hand.next(Act.COMPLETE_IN_TRANSACTION, table)
                .claim(asked)
                .value(targets(keys))
                .invoke();
        Commit.attempt(hand.dataSource(), complete, tx -> {
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
