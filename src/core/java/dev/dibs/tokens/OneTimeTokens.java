package dev.dibs.tokens;

import dev.dibs.DibsException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One-time tokens for one purpose: secrets that expire and that exactly one caller can use, for password resets, magic links,
 * confirmations, downloads, pairing of devices.
 *
 * <p>Made by {@code Dibs.tokens(purpose)}. Immutable: the methods that set something return another instance; use that one. Safe for use by any
 * thread. The table has digests only: nobody who reads it can use a token. All times are the database's. After {@code Dibs.close()} every
 * method that asks the database throws {@code IllegalStateException}.
 *
 * <p>A token is 256 random bits as 43 characters that may stand in a URL. What cannot be one, be it null or 10 MB long, is UNKNOWN without asking the
 * database. Two who use the same token at the same time: one waits for the other, and if that one's transaction rolls back, gets it.
 */
@SuppressWarnings("exports")
public interface OneTimeTokens {

    /** A subject has one live token at most: issuing another revokes the former. */
    OneTimeTokens onePerSubject();

    /**
     * The key for codes, and for tokens that are issued under an id. Codes and ids that were issued with another key are not known any more.
     *
     * @param secret at least 16 random bytes that all nodes have and the database has not
     */
    OneTimeTokens pepper(byte[] secret);

    /**
     * How many wrong codes a subject may give in a window before none is taken until the window is over. Default 5 in 15 minutes: of the codes of 6 digits that
     * is one in 200,000.
     *
     * @param most 1 to 100
     * @param window from the first wrong one; 1 millisecond to 3650 days
     */
    OneTimeTokens maxAttempts(int most, Duration window);

    /**
     * How long a token is kept after it was used or revoked or has expired, so that its next user is told so. Default one day. A
     * used token is kept for a minute at least: the answer to its user may be lost on the way, and is asked for again.
     *
     * @param retention 0 to 3650 days
     */
    OneTimeTokens keepFor(Duration retention);

    /**
     * How often what ended long ago is deleted in the background: at most so often over all nodes, and only after one of
     * them has issued something. Default 10 minutes.
     *
     * @param interval 1 minute to 1 day; zero for never, if somebody calls {@link #purge}
     */
    OneTimeTokens purgeEvery(Duration interval);

    /** What the tokens are for. */
    String purpose();

    /**
     * Issues a token.
     *
     * @param subject whose it is: 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @param ttl how long it can be used: 1 millisecond to 3650 days
     * @return the token, which is stored nowhere
     * @throws IllegalArgumentException if the subject or the time is none
     * @throws DibsException if the database cannot be asked
     */
    String issue(String subject, Duration ttl);

    /**
     * Issues a token with something for the one who uses it.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issue(String, Duration)
     */
    String issue(String subject, Duration ttl, @Nullable String payload);

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
    String issue(String subject, Duration ttl, @Nullable String payload, String id);

    /**
     * Uses a token up: of all who try, on whatever node, one gets OK. A lost answer is asked for again and never makes two of one.
     *
     * @param token what came from outside; anything
     * @throws DibsException if the database cannot be asked, or another transaction has kept the token locked for seconds
     */
    TokenResult consume(@Nullable String token);

    /**
     * Uses a token up under an id of the caller's, who may be killed before it has seen the answer: when it is asked again with the same id, the
     * result is USED with {@link TokenResult#sameAttempt()} and the payload.
     *
     * @param attempt 1 to 200 characters, which nobody else can guess or has by chance
     * @see #consume(String)
     */
    TokenResult consume(@Nullable String token, String attempt);

    /**
     * Uses a token up if and only if the caller's transaction commits: after a rollback it can be used again. Others who
     * try the same token meanwhile wait for the end of the transaction, so it should be short.
     *
     * @param connection the caller's, with autocommit off; nothing on it is retried or changed
     * @throws IllegalStateException if autocommit is on; use {@link #consume(String)} then
     * @throws DibsException if the database refuses; the transaction must be rolled back then
     */
    TokenResult consume(Connection connection, @Nullable String token);

    /**
     * Looks at a token without using it up, as for a GET, which link scanners and previews send too. OK means that it could be
     * used at that moment; what decides is {@link #consume}.
     *
     * @throws DibsException if the database cannot be asked
     */
    TokenResult peek(@Nullable String token);

    /**
     * Ends a token before its time.
     *
     * @return whether it was live
     * @throws DibsException if the database cannot be asked
     */
    boolean revoke(@Nullable String token);

    /**
     * Ends all live tokens and codes of a subject, as after a change of its password.
     *
     * @return how many; after a lost answer it may be fewer than were ended
     * @throws DibsException if the database cannot be asked
     */
    long revokeAll(String subject);

    /**
     * The tokens and codes of a subject that are still kept, the latest first, 1000 at most.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<TokenInfo> list(String subject);

    /**
     * How many there are of this purpose.
     *
     * @throws DibsException if the database cannot be asked
     */
    TokenCounts counts();

    /**
     * Issues a short code for a human to type. A subject has one code at most: another takes its place. The count of wrong tries
     * goes on over codes until its window is over.
     *
     * @param digits 6 to 10
     * @return the code; only its keyed hash is stored
     * @throws IllegalStateException if there is no {@link #pepper}
     * @see #issue(String, Duration)
     */
    String issueCode(String subject, Duration ttl, int digits);

    /**
     * Issues a short code with something for the one who uses it.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issueCode(String, Duration, int)
     */
    String issueCode(String subject, Duration ttl, int digits, @Nullable String payload);

    /**
     * Uses a subject's code up if it is this one, and else counts a wrong try, in one statement. Never in the caller's
     * transaction: a rollback would give the try back.
     *
     * @param code what came from outside; anything. What is not 6 to 10 digits is UNKNOWN and no try
     * @throws IllegalStateException if there is no {@link #pepper}
     * @throws DibsException if the database cannot be asked
     */
    TokenResult consumeCode(String subject, @Nullable String code);

    /**
     * Deletes what ended longer ago than {@link #keepFor}, in small transactions that hold nobody up. Several nodes may do so at
     * once.
     *
     * @return how many this call deleted
     * @throws DibsException if the database cannot be asked
     */
    long purge();
}
