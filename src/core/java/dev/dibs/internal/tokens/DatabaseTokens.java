package dev.dibs.internal.tokens;

import dev.dibs.Lease;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.transaction.JoinedTransaction;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Texts;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenCounts;
import dev.dibs.tokens.TokenInfo;
import dev.dibs.tokens.TokenResult;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tokens of a purpose in the token table. */
record DatabaseTokens(Tokens tokens, TokenTable table, TokenOptions options) implements OneTimeTokens {

    private static final int LONGEST_PAYLOAD = 4000;

    /** How long another node may take to end its purge. */
    private static final Duration PURGE_WAIT = Duration.ofDays(1);

    private OneTimeTokens with(TokenOptions changed) {
        return new DatabaseTokens(tokens, table, changed);
    }

    @Override
    public OneTimeTokens onePerSubject() {
        return with(options.withSole());
    }

    @Override
    public OneTimeTokens pepper(byte[] secret) {
        return with(options.withPepper(secret));
    }

    @Override
    public OneTimeTokens maxAttempts(int most, Duration window) {
        return with(options.withTries(most, window));
    }

    @Override
    public OneTimeTokens keepFor(Duration retention) {
        return with(options.withRetention(retention));
    }

    @Override
    public OneTimeTokens purgeEvery(Duration interval) {
        return with(options.withPurgeEvery(interval));
    }

    @Override
    public String purpose() {
        return table.purpose();
    }

    @Override
    public String issue(String subject, Duration ttl) {
        return issue(subject, ttl, null);
    }

    @Override
    public String issue(String subject, Duration ttl, @Nullable String payload) {
        return issue(TokenSecret.next(), order(subject, ttl, payload), true);
    }

    @Override
    public String issue(String subject, Duration ttl, @Nullable String payload, String id) {
        Pepper pepper = options.needPepper("a token under an id");
        TokenTable.Order order = order(subject, ttl, payload);
        return issue(TokenSecret.text(pepper.hash("token", purpose(), subject, Names.check("id", id))), order, false);
    }

    private static TokenTable.Order order(String subject, Duration ttl, @Nullable String payload) {
        long millis = TokenOptions.checkLength("time to live", ttl).toMillis();
        if (payload != null && !payload.isEmpty()) {
            Names.check("payload", payload, LONGEST_PAYLOAD);
        }
        return new TokenTable.Order(checkSubject(subject), millis, payload);
    }

    private static String checkSubject(String subject) {
        return Names.checkStripped("subject", subject);
    }

    private String issue(String token, TokenTable.Order order, boolean isNew) {
        byte[] digest = TokenSecret.digest(token);
        String issued = tokens.ask("issuing", () -> {
            if (options.sole()) {
                return table.issueSole(digest, order) ? token : null;
            }
            table.issue(digest, order, isNew);
            return token;
        });
        tokens.purge.want(purpose(), options);
        return issued;
    }

    @Override
    public TokenResult consume(@Nullable String token) {
        return consumeAs(token, null);
    }

    @Override
    public TokenResult consume(@Nullable String token, String attempt) {
        return consumeAs(token, Names.check("attempt", attempt));
    }

    private TokenResult consumeAs(@Nullable String token, @Nullable String attempt) {
        tokens.context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Result.UNKNOWN;
        }
        String call = OwnerToken.next();
        String by = attempt == null ? call : attempt;
        byte[] digest = TokenSecret.digest(token);
        // The owner token is the same each time: a statement that seemed lost and takes effect late must use the token
        // for this call.
        return tokens.ask("consuming", () -> {
            Optional<TokenRow> row = table.consume(digest, call, by);
            return row.isEmpty() ? Result.UNKNOWN : row.get().triedBy(call, by).orElse(null);
        });
    }

    @Override
    public TokenResult consume(Connection connection, @Nullable String token) {
        tokens.context.requireOpen();
        JoinedTransaction.require(connection, "consume(connection, token)", "or leave the connection away");
        if (!TokenSecret.isOne(token)) {
            return Result.UNKNOWN;
        }
        String call = OwnerToken.next();
        try {
            return table.consume(connection, TokenSecret.digest(token), call)
                    .map(row -> row.triedBy(call, call).orElseGet(row::usedMeanwhile))
                    .orElse(Result.UNKNOWN);
        } catch (SqlFailure e) {
            throw tokens.context.errors().explainJoined(e);
        }
    }

    @Override
    public TokenResult peek(@Nullable String token) {
        tokens.context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Result.UNKNOWN;
        }
        byte[] digest = TokenSecret.digest(token);
        return tokens.ask(
                "looking at a token",
                () -> table.peek(digest).map(TokenRow::seen).orElse(Result.UNKNOWN));
    }

    @Override
    public boolean revoke(@Nullable String token) {
        tokens.context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return false;
        }
        byte[] digest = TokenSecret.digest(token);
        String call = OwnerToken.next();
        return tokens.ask("revoking", () -> table.revoke(digest, call));
    }

    @Override
    public long revokeAll(String subject) {
        checkSubject(subject);
        return tokens.ask("revoking", () -> table.revokeAll(subject));
    }

    @Override
    public List<TokenInfo> list(String subject) {
        checkSubject(subject);
        return tokens.ask("listing", () -> table.list(subject));
    }

    @Override
    public TokenCounts counts() {
        return tokens.ask("counting", table::counts);
    }

    @Override
    public String issueCode(String subject, Duration ttl, int digits) {
        return issueCode(subject, ttl, digits, null);
    }

    @Override
    public String issueCode(String subject, Duration ttl, int digits, @Nullable String payload) {
        Pepper pepper = options.needPepper("a code");
        TokenTable.Order order = order(subject, ttl, payload);
        String code = ShortCode.next(digits);
        byte[] digest = codeDigest(pepper, subject, code);
        String issued = tokens.ask("issuing", () -> {
            table.issueCode(digest, order);
            return code;
        });
        tokens.purge.want(purpose(), options);
        return issued;
    }

    private byte[] codeDigest(Pepper pepper, String subject, String code) {
        return pepper.hash("code", purpose(), subject, code);
    }

    @Override
    public TokenResult consumeCode(String subject, @Nullable String code) {
        Pepper pepper = options.needPepper("a code");
        checkSubject(subject);
        tokens.context.requireOpen();
        if (!ShortCode.isOne(code)) {
            return Result.UNKNOWN;
        }
        byte[] digest = codeDigest(pepper, subject, code);
        String call = OwnerToken.next();
        return tokens.ask("consuming", () -> {
            Optional<CodeRow> row = table.tryCode(subject, digest, call, options.tries(), options.window());
            return row.isEmpty()
                    ? Result.UNKNOWN
                    : row.get().triedBy(call, options.tries()).orElse(null);
        });
    }

    @Override
    public long purge() {
        // Two purges at the same time are no faster, and delay consumers more than twice as much.
        try (Lease turn = tokens.locks.apply(Names.PURGING + purpose()).acquire(PURGE_WAIT)) {
            return purgeAll();
        }
    }

    private long purgeAll() {
        long purged = 0;
        TokenTable.Purged last = TokenTable.Purged.NOTHING;
        do {
            TokenTable.Purged before = last;
            last = tokens.ask("purging", () -> table.purge(options.retention(), TokenPurge.BATCH, before));
            purged += last.count();
        } while (last.count() > 0);
        return purged;
    }

    @Override
    public String toString() {
        return "OneTimeTokens[" + Texts.escape(purpose()) + "]";
    }
}
