package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import java.sql.SQLException;
import java.time.Duration;

/** Consumes a token that others want, too: all processes issue the same one at the same time. */
final class TokenTask implements Task {
    private static final Duration LIFE = Duration.ofHours(1);

    private final WorkerContext context;
    private final OneTimeTokens tokens;

    TokenTask(WorkerContext context) {
        this.context = context;
        this.tokens = context.dibs().tokens(Workload.TOKENS).pepper(Workload.PEPPER);
    }

    @Override
    public void run() throws SQLException {
        long number = System.nanoTime() / Workload.TOKEN_EVERY.toNanos();
        String name = "token-" + number;
        String token = tokens.issue(name, LIFE, null, name);
        switch (context.random().nextInt(3)) {
            case 0 -> consume(name, token);
            case 1 -> consumeUnderAnAttempt(name, token);
            default -> consumeInTransaction(name, token);
        }
    }

    private void consume(String name, String token) {
        Entry consume = context.next(OperationKind.CONSUME, name).invoke();
        try {
            answered(consume, tokens.consume(token));
        } catch (DatabaseFailureException e) {
            consume.value(e.getMessage()).end(OperationState.UNKNOWN);
            throw e;
        }
    }

    /** A caller without an answer asks again, with the same attempt, and so learns whether it was itself. */
    private void consumeUnderAnAttempt(String name, String token) {
        Entry consume = context.next(OperationKind.CONSUME, name).invoke();
        for (int tries = 1; ; tries++) {
            try {
                answered(consume, tokens.consume(token, consume.op()));
                return;
            } catch (DatabaseFailureException e) {
                if (tries == 3) {
                    consume.value(e.getMessage()).end(OperationState.UNKNOWN);
                    throw e;
                }
            }
        }
    }

    private static void answered(Entry consume, TokenResult result) {
        boolean ours = result.isOk() || result.sameAttempt();
        consume.value(result.status()).end(ours ? OperationState.OK : OperationState.FAIL);
    }

    private void consumeInTransaction(String name, String token) throws SQLException {
        Entry consume = context.next(OperationKind.CONSUME_IN_TRANSACTION, name).invoke();
        Commit.attempt(context.dataSource(), consume, tx -> {
            TokenResult result = tokens.consume(tx, token);
            consume.value(result.status());
            if (result.isOk()) {
                Tables.effect(tx, name, consume.op());
            }
            return result.isOk();
        });
    }
}
