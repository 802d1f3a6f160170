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
 * Consumes of tokens: each by a statement of its own or, where many of an instance come at the same time and the dialect wants it, several
 * by one. That statement waits for nobody and answers only what is certain; whoever is not among its answers asks alone.
 */
final class TokenCalls {

    private static final String MANY = "consume_each_token";

    /**
     * How long to queue. All who may go at once may be waiting, each for the end of somebody's transaction; that concerns nobody who
     * wants another token.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final @Nullable Batcher batcher;

    /** With a batcher of its own: who asks for a lock must not queue behind a consume that waits for a row. */
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
                Told told = batcher.ask(new Consume(database), call, PATIENCE);
                if (told.isCertain()) {
                    return told.row();
                }
            } catch (SqlFailure e) {
                if (!e.isUndoneForMany()) {
                    throw e;
                }
            }
        }
        return call.alone(database);
    }

    /** A token, and the call that wants it. */
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
     * What came of it.
     *
     * @param isCertain whether it is known; if not, nothing was done
     * @param row empty if there is no such token
     */
    private record Told(boolean isCertain, Optional<TokenRow> row) {
        static final Told NOTHING = new Told(false, Optional.empty());

        static Told certainly(Optional<TokenRow> row) {
            return new Told(true, row);
        }
    }

    /** A row of the answer for many. */
    private record Line(String asker, Told told) {

        /** There is a line for a token that is unknown, too: it has nothing but who asked for it. */
        static Line read(ResultSet row) throws SQLException {
            boolean isKnown = row.getString("subject") != null;
            return new Line(
                    row.getString("asker"),
                    Told.certainly(isKnown ? Optional.of(TokenRow.read(row)) : Optional.empty()));
        }
    }

    private record Consume(Database database) implements OneOrMany<ConsumeCall, Told> {

        @Override
        public Object key(ConsumeCall call) {
            return List.of(call.purpose, ByteBuffer.wrap(call.digest));
        }

        @Override
        public Told one(ConsumeCall call) throws SqlFailure {
            return Told.certainly(call.alone(database));
        }

        @Override
        public List<Told> many(List<ConsumeCall> calls) throws SqlFailure {
            Map<String, Told> told = ask(Params.none()
                            .withTokens(
                                    calls.stream().map(call -> call.purpose).toList(),
                                    calls.stream().map(call -> call.digest).toList(),
                                    calls.stream().map(call -> call.owner).toList(),
                                    calls.stream().map(call -> call.attempt).toList()))
                    .stream()
                    .collect(Collectors.toMap(Line::asker, Line::told));
            return calls.stream()
                    .map(call -> told.getOrDefault(call.owner, Told.NOTHING))
                    .toList();
        }

        private List<Line> ask(Params params) throws SqlFailure {
            if (how(database) != Together.TRANSACTION) {
                return database.call(MANY, params, TokenTable.TIMEOUT, Line::read)
                        .rows();
            }
            Call<Line> call = database.statements().call(MANY, params, Line::read);
            return database.transactIf(call, lines -> true, TokenTable.TIMEOUT);
        }

        @Override
        public Told outOfTurn(SqlFailure failure) {
            return Told.NOTHING;
        }
    }
}
