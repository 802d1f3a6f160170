package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import java.sql.SQLException;
import java.time.Duration;

/** Consumes a token that others want, too: all processes issue the same one at the same time. */
final class TokenTask implements Task {
    private static final Duration LIFE = Duration.ofHours(1);

    private final Hand hand;
    private final OneTimeTokens tokens;

    TokenTask(Hand hand) {
        this.hand = hand;
        this.tokens = hand.dibs().tokens(Workload.TOKENS).pepper(Workload.PEPPER);
    }

    @Override
    public void run() throws SQLException {
        long number = System.nanoTime() / Workload.TOKEN_EVERY.toNanos();
        String name = "token-" + number;
        String token = tokens.issue(name, LIFE, null, name);
        switch (hand.random().nextInt(3)) {
            case 0 -> consume(name, token);
            case 1 -> consumeUnderAnAttempt(name, token);
            default -> consumeInTransaction(name, token);
        }
    }

    private void consume(String name, String token) {
        Entry consume = hand.next(Act.CONSUME, name).invoke();
        try {
            answered(consume, tokens.consume(token));
        } catch (DatabaseFailureException e) {
            consume.value(e.getMessage()).end(Stage.UNKNOWN);
            throw e;
        }
    }

    /** A caller without an answer asks again, with the same attempt, and so learns whether it was itself. */
    private void consumeUnderAnAttempt(String name, String token) {
        Entry consume = hand.next(Act.CONSUME, name).invoke();
        for (int tries = 1; ; tries++) {
            try {
                answered(consume, tokens.consume(token, consume.op()));
                return;
            } catch (DatabaseFailureException e) {
                if (tries == 3) {
                    consume.value(e.getMessage()).end(Stage.UNKNOWN);
                    throw e;
                }
            }
        }
    }

    private static void answered(Entry consume, TokenResult result) {
        boolean ours = result.isOk() || result.sameAttempt();
        consume.value(result.status()).end(ours ? Stage.OK : Stage.FAIL);
    }

    private void consumeInTransaction(String name, String token) throws SQLException {
        Entry consume = hand.next(Act.CONSUME_IN_TRANSACTION, name).invoke();
        Commit.attempt(hand.dataSource(), consume, tx -> {
            TokenResult result = tokens.consume(tx, token);
            consume.value(result.status());
            if (result.isOk()) {
                Tables.effect(tx, name, consume.op());
            }
            return result.isOk();
        });
    }
}
