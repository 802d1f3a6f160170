package dev.dibs.internal.tokens;

import dev.dibs.Lease;
import dev.dibs.internal.guarded.JoinedTransaction;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Strings;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenCounts;
import dev.dibs.tokens.TokenInfo;
import dev.dibs.tokens.TokenResult;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a purpose in the token table.
 *
 * @param isOnePerSubject whether a subject has only one live token
 * @param pepper the key for codes, if there is one
 * @param tries how many wrong codes there may be in a window
 * @param retention how long a token is kept after it ended
 * @param purgeInterval how often they are purged in the background; zero for never
 */
record DatabaseTokens(
        Tokens tokens,
        TokenTable table,
        boolean isOnePerSubject,
        @Nullable Pepper pepper,
        int tries,
        Duration window,
        Duration retention,
        Duration purgeInterval)
        implements OneTimeTokens {

    private static final int LONGEST_PAYLOAD = 4000;
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

    /** How long another node may take to end its purge. */
    private static final Duration PURGE_WAIT = Duration.ofDays(1);

    DatabaseTokens(Tokens tokens, TokenTable table) {
        this(tokens, table, false, null, 5, Duration.ofMinutes(15), Duration.ofDays(1), Duration.ofMinutes(10));
    }

    @Override
    public OneTimeTokens onePerSubject() {
        return new DatabaseTokens(tokens, table, true, pepper, tries, window, retention, purgeInterval);
    }

    @Override
    public OneTimeTokens pepper(byte[] secret) {
        return new DatabaseTokens(
                tokens, table, isOnePerSubject, new Pepper(secret), tries, window, retention, purgeInterval);
    }

    @Override
    public OneTimeTokens maxAttempts(int most, Duration in) {
        if (most < 1 || most > 100) {
            throw new IllegalArgumentException("a code may be tried wrongly 1 to 100 times, not " + most);
        }
        return new DatabaseTokens(
                tokens, table, isOnePerSubject, pepper, most, checkLength("window", in), retention, purgeInterval);
    }

    @Override
    public OneTimeTokens keepFor(Duration length) {
        Arguments.within("retention", length, Duration.ZERO, LONGEST);
        return new DatabaseTokens(tokens, table, isOnePerSubject, pepper, tries, window, length, purgeInterval);
    }

    @Override
    public OneTimeTokens purgeEvery(Duration interval) {
        if (!Arguments.required("interval", interval).isZero()) {
            Arguments.within("interval other than zero", interval, SHORTEST_INTERVAL, LONGEST_INTERVAL);
        }
        return new DatabaseTokens(tokens, table, isOnePerSubject, pepper, tries, window, retention, interval);
    }

    /** A time to live, or a window: from a millisecond to ten years. */
    private static Duration checkLength(String what, Duration length) {
        return Arguments.within(what, length, Duration.ofMillis(1), LONGEST);
    }

    private Pepper needPepper(String what) {
        if (pepper == null) {
            throw new IllegalStateException(
                    what + " needs a key that is not in the database: call pepper(byte[]) when the tokens are made");
        }
        return pepper;
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
        Pepper pepper = needPepper("a token under an id");
        TokenTable.Order order = order(subject, ttl, payload);
        return issue(TokenSecret.text(pepper.hash("token", purpose(), subject, Names.check("id", id))), order, false);
    }

    private static TokenTable.Order order(String subject, Duration ttl, @Nullable String payload) {
        long millis = checkLength("time to live", ttl).toMillis();
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
        return issued(() -> {
            if (isOnePerSubject) {
                return table.issueOnePerSubject(digest, order) ? token : null;
            }
            table.issue(digest, order, isNew);
            return token;
        });
    }

    private String issued(Retry.Call<String> attempt) {
        String issued = tokens.ask("issuing", attempt);
        tokens.purge.want(this);
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
        Pepper pepper = needPepper("a code");
        TokenTable.Order order = order(subject, ttl, payload);
        String code = ShortCode.next(digits);
        byte[] digest = codeDigest(pepper, subject, code);
        return issued(() -> {
            table.issueCode(digest, order);
            return code;
        });
    }

    private byte[] codeDigest(Pepper pepper, String subject, String code) {
        return pepper.hash("code", purpose(), subject, code);
    }

    @Override
    public TokenResult consumeCode(String subject, @Nullable String code) {
        Pepper pepper = needPepper("a code");
        checkSubject(subject);
        tokens.context.requireOpen();
        if (!ShortCode.isOne(code)) {
            return Result.UNKNOWN;
        }
        byte[] digest = codeDigest(pepper, subject, code);
        String call = OwnerToken.next();
        return tokens.ask("consuming", () -> {
            Optional<CodeRow> row = table.tryCode(subject, digest, call, tries, window);
            return row.isEmpty()
                    ? Result.UNKNOWN
                    : row.get().triedBy(call, tries).orElse(null);
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
            last = tokens.ask("purging", () -> table.purge(retention, TokenPurge.BATCH, before));
            purged += last.count();
        } while (last.count() > 0);
        return purged;
    }

    @Override
    public String toString() {
        return "OneTimeTokens[" + Strings.escape(purpose()) + "]";
    }
}
