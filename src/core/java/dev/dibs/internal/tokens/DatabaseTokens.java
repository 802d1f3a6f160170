package dev.dibs.internal.tokens;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.internal.instance.Context;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tokens of a purpose in the token table. */
final class DatabaseTokens implements OneTimeTokens {

    private static final int LONGEST_PAYLOAD = 4000;

    /** How long another node may take to end its purge. */
    private static final Duration PURGE_WAIT = Duration.ofDays(1);

    private final Context context;
    private final TokenPurge purge;
    private final Function<String, Acquirable<Lease>> locks;
    private final TokenTable table;
    private final String purpose;
    private final TokenOptions options;

    DatabaseTokens(
            Context context,
            TokenPurge purge,
            Function<String, Acquirable<Lease>> locks,
            String purpose,
            TokenOptions options) {
        this.context = context;
        this.purge = purge;
        this.locks = locks;
        this.table = new TokenTable(context.database(), purpose);
        this.purpose = purpose;
        this.options = options;
    }

    private OneTimeTokens with(TokenOptions changed) {
        return new DatabaseTokens(context, purge, locks, purpose, changed);
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
        return purpose;
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
        return issue(TokenSecret.text(pepper.hash("token", purpose, subject, Names.check("id", id))), order, false);
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
        String issued = Tokens.ask(context, "issuing", () -> {
            if (options.sole()) {
                return table.issueSole(digest, order) ? token : null;
            }
            if (isNew) {
                table.issueNew(digest, order);
            } else {
                table.issue(digest, order);
            }
            return token;
        });
        purge.want(purpose, options);
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
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Result.UNKNOWN;
        }
        String call = OwnerToken.next();
        String by = attempt == null ? call : attempt;
        byte[] digest = TokenSecret.digest(token);
        // The owner token is the same each time: a statement that seemed lost and takes effect late must use the token
        // for this call.
        return Tokens.ask(context, "consuming", () -> {
            Optional<TokenRow> row = table.consume(digest, call, by);
            return row.isEmpty() ? Result.UNKNOWN : row.get().triedBy(call, by).orElse(null);
        });
    }

    @Override
    public TokenResult consume(Connection connection, @Nullable String token) {
        context.requireOpen();
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
            throw context.errors().explainJoined(e);
        }
    }

    @Override
    public TokenResult peek(@Nullable String token) {
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Result.UNKNOWN;
        }
        byte[] digest = TokenSecret.digest(token);
        return Tokens.ask(
                context,
                "looking at a token",
                () -> table.peek(digest).map(TokenRow::seen).orElse(Result.UNKNOWN));
    }

    @Override
    public boolean revoke(@Nullable String token) {
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return false;
        }
        byte[] digest = TokenSecret.digest(token);
        return Tokens.ask(context, "revoking", () -> table.revoke(digest));
    }

    @Override
    public long revokeAll(String subject) {
        checkSubject(subject);
        return Tokens.ask(context, "revoking", () -> table.revokeAll(subject));
    }

    @Override
    public List<TokenInfo> list(String subject) {
        checkSubject(subject);
        return Tokens.ask(context, "listing", () -> table.list(subject));
    }

    @Override
    public TokenCounts counts() {
        return Tokens.ask(context, "counting", table::counts);
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
        String issued = Tokens.ask(context, "issuing", () -> {
            table.issueCode(digest, order);
            return code;
        });
        purge.want(purpose, options);
        return issued;
    }

    private byte[] codeDigest(Pepper pepper, String subject, String code) {
        return pepper.hash("code", purpose, subject, code);
    }

    @Override
    public TokenResult consumeCode(String subject, @Nullable String code) {
        Pepper pepper = options.needPepper("a code");
        checkSubject(subject);
        context.requireOpen();
        if (!ShortCode.isOne(code)) {
            return Result.UNKNOWN;
        }
        byte[] digest = codeDigest(pepper, subject, code);
        String call = OwnerToken.next();
        return Tokens.ask(context, "consuming", () -> {
            Optional<CodeRow> row = table.tryCode(subject, digest, call, call, options.tries(), options.window());
            return row.isEmpty()
                    ? Result.UNKNOWN
                    : row.get().triedBy(call, call, options.tries()).orElse(null);
        });
    }

    @Override
    public long purge() {
        // Two purges at the same time are no faster, and delay consumers more than twice as much.
        try (Lease turn = locks.apply(Names.PURGING + purpose).acquire(PURGE_WAIT)) {
            return purgeAll();
        }
    }

    private long purgeAll() {
        long purged = 0;
        TokenTable.Purged last = TokenTable.Purged.NOTHING;
        do {
            TokenTable.Purged before = last;
            last = Tokens.ask(context, "purging", () -> table.purge(options.retention(), TokenPurge.BATCH, before));
            purged += last.count();
        } while (last.count() > 0);
        return purged;
    }

    @Override
    public String toString() {
        return "OneTimeTokens[" + Texts.escape(purpose) + "]";
    }
}
