package dev.dibs.internal.tokens;

import dev.dibs.internal.sql.Batcher;
import dev.dibs.internal.sql.Batcher.OneOrMany;
import dev.dibs.internal.sql.Call;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Features.Together;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Consumes tokens: each by a statement of its own, or in a batch if an instance has many at the same time and the dialect wants it. A batch
 * does not wait for locked rows. Tokens that it leaves undecided are consumed again, each by a statement of its own.
 */
final class TokenCalls {

    private static final String MANY = "consume_each_token";

    /**
     * How long to queue. All running statements may be waiting, each for the end of another transaction. That must not delay a caller with
     * another token.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final @Nullable Batcher batcher;

    /** It has a batcher of its own: a caller that asks for a lock must not queue behind a consume that waits for a row lock. */
    TokenCalls(Database database) {
        this.database = database;
        this.batcher = how(database) == Together.ONE_BY_ONE ? null : new Batcher();
    }

    private static Together how(Database database) {
        return database.statements().features().tokensTogether();
    }

    Optional<TokenRow> consume(ConsumeCall call) throws SqlFailure {
        if (batcher != null) {
            try {
                ConsumeResult result = batcher.ask(new Consume(database), call, PATIENCE);
                if (result.isCertain()) {
                    return result.row();
                }
            } catch (SqlFailure e) {
                if (!e.isUndoneForMany()) {
                    throw e;
                }
            }
        }
        return call.alone(database);
    }

    /** A token, and the call that consumes it. */
    static final class ConsumeCall {

        private final String purpose;
        private final byte[] digest;
        private final String owner;
        private final String attempt;

        ConsumeCall(String purpose, byte[] digest, String owner, String attempt) {
            this.purpose = purpose;
            this.digest = digest;
            this.owner = owner;
            this.attempt = attempt;
        }

        private Optional<TokenRow> alone(Database database) throws SqlFailure {
            return new TokenTable(database, purpose).consume(digest, owner, attempt);
        }
    }

    /**
     * The result.
     *
     * @param isCertain whether it is known; if not, nothing was done
     * @param row empty if there is no such token
     */
    private record ConsumeResult(boolean isCertain, Optional<TokenRow> row) {
        static final ConsumeResult UNDECIDED = new ConsumeResult(false, Optional.empty());

        static ConsumeResult certain(Optional<TokenRow> row) {
            return new ConsumeResult(true, row);
        }
    }

    /** A row of the answer to a batch. */
    private record ResultRow(String owner, ConsumeResult result) {

        /** There is a row for an unknown token, too: it has the caller's owner token and nothing else. */
        static ResultRow read(ResultSet row) throws SQLException {
            boolean isKnown = row.getString("subject") != null;
            return new ResultRow(
                    row.getString("asker"),
                    ConsumeResult.certain(isKnown ? Optional.of(TokenRow.read(row)) : Optional.empty()));
        }
    }

    private record Consume(Database database) implements OneOrMany<ConsumeCall, ConsumeResult> {

        @Override
        public Object key(ConsumeCall call) {
            return List.of(call.purpose, ByteBuffer.wrap(call.digest));
        }

        @Override
        public ConsumeResult one(ConsumeCall call) throws SqlFailure {
            return ConsumeResult.certain(call.alone(database));
        }

        @Override
        public List<ConsumeResult> many(List<ConsumeCall> calls) throws SqlFailure {
            Map<String, ConsumeResult> results = ask(Params.none()
                            .withTokens(
                                    calls.stream().map(call -> call.purpose).toList(),
                                    calls.stream().map(call -> call.digest).toList(),
                                    calls.stream().map(call -> call.owner).toList(),
                                    calls.stream().map(call -> call.attempt).toList()))
                    .stream()
                    .collect(Collectors.toMap(ResultRow::owner, ResultRow::result));
            return calls.stream()
                    .map(call -> results.getOrDefault(call.owner, ConsumeResult.UNDECIDED))
                    .toList();
        }

        private List<ResultRow> ask(Params params) throws SqlFailure {
            if (how(database) != Together.TRANSACTION) {
                return database.call(MANY, params, TokenTable.TIMEOUT, ResultRow::read)
                        .rows();
            }
            Call<ResultRow> call = database.statements().call(MANY, params, ResultRow::read);
            return database.transactIf(call, rows -> true, TokenTable.TIMEOUT);
        }

        @Override
        public ConsumeResult notSent(SqlFailure failure) {
            return ConsumeResult.UNDECIDED;
        }
    }
}
