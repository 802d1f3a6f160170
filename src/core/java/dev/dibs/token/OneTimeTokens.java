package dev.dibs.token;

import dev.dibs.DibsException;
import dev.dibs.core.Context;
import dev.dibs.core.JoinedTransaction;
import dev.dibs.core.Names;
import dev.dibs.core.OwnerToken;
import dev.dibs.core.Retry;
import dev.dibs.sql.SqlFailure;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One-time tokens for one purpose: secrets that expire and that exactly one caller can use, for password resets, magic links,
 * confirmations, downloads, pairing of devices.
 *
 * <p>Made by {@code Dibs.tokens(purpose)}. Immutable and safe for use by any thread; the methods that set something return another instance. The
 * table has digests only: who reads it can use no token. All times are the database's. After {@code Dibs.close()} every method that
 * asks the database throws {@code IllegalStateException}.
 *
 * <p>A token is 256 random bits as 43 characters that may stand in a URL. What can not be one, be it null or 10 MB long, is UNKNOWN without asking the
 * database. Two who use the same token at the same time: one waits for the other, and if that one's transaction rolls back, gets it.
 */
@SuppressWarnings("exports")
public final class OneTimeTokens {

    private static final int LONGEST_PAYLOAD = 4000;

    private final Context context;
    private final TokenCalls calls;
    private final TokenPrune prune;
    private final TokenTable table;
    private final String purpose;
    private final TokenOptions options;

    OneTimeTokens(Context context, TokenCalls calls, TokenPrune prune, String purpose, TokenOptions options) {
        this.context = context;
        this.calls = calls;
        this.prune = prune;
        this.table = new TokenTable(context.database(), purpose);
        this.purpose = purpose;
        this.options = options;
    }

    private OneTimeTokens with(TokenOptions changed) {
        return new OneTimeTokens(context, calls, prune, purpose, changed);
    }

    /** A subject has one live token at most: issuing another revokes the former. */
    public OneTimeTokens onePerSubject() {
        return with(options.withSole());
    }

    /**
     * The key for codes, and for tokens that are issued under an id. Codes and ids that were issued with another key are not known any more.
     *
     * @param secret at least 16 random bytes that all nodes have and the database has not
     */
    public OneTimeTokens pepper(byte[] secret) {
        return with(options.withPepper(secret));
    }

    /**
     * How many wrong codes a subject may give in a window before none is taken until the window is over. Default 5 in 15 minutes: of the codes of 6 digits that
     * is one in 200,000.
     *
     * @param most 1 to 100
     * @param window from the first wrong one; 1 millisecond to 3650 days
     */
    public OneTimeTokens tries(int most, Duration window) {
        return with(options.withTries(most, window));
    }

    /**
     * How long a token is kept after it was used or revoked or has expired, so that its next user is told so. Default one day. A
     * used token is kept for a minute at least: the answer to its user may be lost on the way, and is asked for again.
     *
     * @param retention 0 to 3650 days
     */
    public OneTimeTokens keepFor(Duration retention) {
        return with(options.withRetention(retention));
    }

    /**
     * How often what ended long ago is deleted in the background: at most so often over all nodes, and only after one of
     * them has issued something. Default 10 minutes.
     *
     * @param interval 1 minute to 1 day; zero for never, if somebody calls {@link #prune}
     */
    public OneTimeTokens pruneEvery(Duration interval) {
        return with(options.withPruneEvery(interval));
    }

    /** What the tokens are for. */
    public String purpose() {
        return purpose;
    }

    /**
     * Issues a token.
     *
     * @param subject whose it is: 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @param ttl how long it can be used: 1 millisecond to 3650 days
     * @return the token, which is stored nowhere
     * @throws IllegalArgumentException if the subject or the time is none
     * @throws DibsException if the database can not be asked
     */
    public String issue(String subject, Duration ttl) {
        return issue(subject, ttl, null);
    }

    /**
     * Issues a token with something for the one who uses it.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issue(String, Duration)
     */
    public String issue(String subject, Duration ttl, @Nullable String payload) {
        return issue(TokenSecret.next(), order(subject, ttl, payload), true);
    }

    /**
     * Issues a token once, however often it is called with this id: the same token comes back each time, as it is by then, so that a job
     * that is started again sends the same link. Time and payload are those of the first call.
     *
     * <p>The token is the keyed hash of purpose, subject and id; whoever has the {@link #pepper} can make it from these.
     *
     * @param id the caller's: 1 to 200 characters
     * @throws IllegalStateException if there is no pepper
     * @see #issue(String, Duration)
     */
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
        String issued = ask("issuing", () -> {
            if (options.sole()) {
                return table.issueSole(digest, order) ? Optional.of(token) : Optional.empty();
            }
            if (isNew) {
                table.issueNew(digest, order);
            } else {
                table.issue(digest, order);
            }
            return Optional.of(token);
        });
        prune.want(purpose, options);
        return issued;
    }

    /**
     * Uses a token up: of all who try, on whatever node, one gets OK. A lost answer is asked for again and never makes two of one.
     *
     * @param token what came from outside; anything
     * @throws DibsException if the database can not be asked, or another transaction has kept the token locked for seconds
     */
    public TokenResult consume(@Nullable String token) {
        return consumeAs(token, null);
    }

    /**
     * Uses a token up under an id of the caller's, who may be killed before it has seen the answer: when it is asked again with the same id, the
     * result is USED with {@link TokenResult#sameAttempt()} and the payload.
     *
     * @param attempt 1 to 200 characters, which nobody else can guess or has by chance
     * @see #consume(String)
     */
    public TokenResult consume(@Nullable String token, String attempt) {
        return consumeAs(token, Names.check("attempt", attempt));
    }

    private TokenResult consumeAs(@Nullable String token, @Nullable String attempt) {
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Results.UNKNOWN;
        }
        String call = OwnerToken.next();
        String by = attempt == null ? call : attempt;
        TokenCalls.ConsumeCall wish = new TokenCalls.ConsumeCall(purpose, TokenSecret.digest(token), call, by);
        // The same owner each time: a statement that was taken for lost and lands late must use it up for this call.
        return ask("consuming", () -> {
            Optional<TokenRow> row = calls.consume(wish);
            return row.isEmpty() ? Optional.of(Results.UNKNOWN) : row.get().triedBy(call, by);
        });
    }

    /**
     * Uses a token up if and only if the caller's transaction commits: after a rollback it can be used again. Others who
     * try the same token meanwhile wait for the end of the transaction, so it should be short.
     *
     * @param connection the caller's, with autocommit off; nothing on it is retried or changed
     * @throws IllegalStateException if autocommit is on; use {@link #consume(String)} then
     * @throws DibsException if the database refuses; the transaction must be rolled back then
     */
    public TokenResult consume(Connection connection, @Nullable String token) {
        context.requireOpen();
        JoinedTransaction.require(connection, "consume(connection, token)", "or leave the connection away");
        if (!TokenSecret.isOne(token)) {
            return Results.UNKNOWN;
        }
        String call = OwnerToken.next();
        try {
            return table.consume(connection, TokenSecret.digest(token), call)
                    .map(row -> row.triedBy(call, call).orElseGet(row::usedMeanwhile))
                    .orElse(Results.UNKNOWN);
        } catch (SqlFailure e) {
            throw context.errors().explainJoined(e);
        }
    }

    /**
     * Looks at a token without using it up, as for a GET, which link scanners and previews send too. OK means that it could be
     * used at that moment; what decides is {@link #consume}.
     *
     * @throws DibsException if the database can not be asked
     */
    public TokenResult peek(@Nullable String token) {
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return Results.UNKNOWN;
        }
        byte[] digest = TokenSecret.digest(token);
        return ask(
                "looking at a token",
                () -> Optional.of(table.peek(digest).map(TokenRow::seen).orElse(Results.UNKNOWN)));
    }

    /**
     * Ends a token before its time.
     *
     * @return whether it was live
     * @throws DibsException if the database can not be asked
     */
    public boolean revoke(@Nullable String token) {
        context.requireOpen();
        if (!TokenSecret.isOne(token)) {
            return false;
        }
        byte[] digest = TokenSecret.digest(token);
        return ask("revoking", () -> Optional.of(table.revoke(digest)));
    }

    /**
     * Ends all live tokens and codes of a subject, as after a change of its password.
     *
     * @return how many; after a lost answer it may be fewer than were ended
     * @throws DibsException if the database can not be asked
     */
    public long revokeAll(String subject) {
        checkSubject(subject);
        return ask("revoking", () -> Optional.of(table.revokeAll(subject)));
    }

    /**
     * The tokens and codes of a subject that are still kept, the latest first, 1000 at most.
     *
     * @throws DibsException if the database can not be asked
     */
    public List<TokenInfo> list(String subject) {
        checkSubject(subject);
        return ask("listing", () -> Optional.of(table.list(subject)));
    }

    /**
     * How many there are of this purpose.
     *
     * @throws DibsException if the database can not be asked
     */
    public TokenCounts counts() {
        return ask("counting", () -> Optional.of(table.counts()));
    }

    /**
     * Issues a short code for a human to type. A subject has one code at most: another takes its place. The count of wrong tries
     * goes on over codes until its window is over.
     *
     * @param digits 6 to 10
     * @return the code; only its keyed hash is stored
     * @throws IllegalStateException if there is no {@link #pepper}
     * @see #issue(String, Duration)
     */
    public String issueCode(String subject, Duration ttl, int digits) {
        return issueCode(subject, ttl, digits, null);
    }

    /**
     * Issues a short code with something for the one who uses it.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issueCode(String, Duration, int)
     */
    public String issueCode(String subject, Duration ttl, int digits, @Nullable String payload) {
        Pepper pepper = options.needPepper("a code");
        TokenTable.Order order = order(subject, ttl, payload);
        String code = ShortCode.next(digits);
        byte[] digest = codeDigest(pepper, subject, code);
        String issued = ask("issuing", () -> {
            table.issueCode(digest, order);
            return Optional.of(code);
        });
        prune.want(purpose, options);
        return issued;
    }

    private byte[] codeDigest(Pepper pepper, String subject, String code) {
        return pepper.hash("code", purpose, subject, code);
    }

    /**
     * Uses a subject's code up if it is this one, and else counts a wrong try, in one statement. Never in the caller's
     * transaction: a rollback would give the try back.
     *
     * @param code what came from outside; anything. What is not 6 to 10 digits is UNKNOWN and no try
     * @throws IllegalStateException if there is no {@link #pepper}
     * @throws DibsException if the database can not be asked
     */
    public TokenResult consumeCode(String subject, @Nullable String code) {
        Pepper pepper = options.needPepper("a code");
        checkSubject(subject);
        context.requireOpen();
        if (!ShortCode.isOne(code)) {
            return Results.UNKNOWN;
        }
        byte[] digest = codeDigest(pepper, subject, code);
        String call = OwnerToken.next();
        return ask("consuming", () -> {
            Optional<CodeRow> row = table.tryCode(subject, digest, call, call, options.tries(), options.window());
            return row.isEmpty() ? Optional.of(Results.UNKNOWN) : row.get().triedBy(call, call, options.tries());
        });
    }

    /**
     * Deletes what ended longer ago than {@link #keepFor}, in small transactions that hold nobody up. Several nodes may do so at
     * once.
     *
     * @return how many this call deleted
     * @throws DibsException if the database can not be asked
     */
    public long prune() {
        long pruned = 0;
        TokenTable.Pruned last = TokenTable.Pruned.NOTHING;
        do {
            TokenTable.Pruned before = last;
            last = ask("pruning", () -> Optional.of(table.prune(options.retention(), TokenPrune.BATCH, before)));
            pruned += last.count();
        } while (last.count() > 0);
        return pruned;
    }

    private <T> T ask(String what, Retry.Sending<T> sending) {
        return Retry.untilAnswered(context, what, sending);
    }

    @Override
    public String toString() {
        return "tokens for '" + purpose + "'";
    }
}
