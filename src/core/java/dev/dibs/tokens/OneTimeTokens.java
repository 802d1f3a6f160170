package dev.dibs.tokens;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.values.CheckReturnValue;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One-time tokens for one purpose: secrets that expire and that exactly one caller can use. They serve password resets, magic
 * links, confirmations, downloads and the pairing of devices.
 *
 * <p>Made by {@code Dibs.tokens(purpose)}. Immutable: the methods that set something return another instance; use that one. Safe
 * for use by any thread. The table has digests only: a reader of the table cannot use a token. All times are by the database's
 * clock. After {@code Dibs.close()} every method that asks the database throws {@code IllegalStateException}.
 *
 * <p>A token is 256 random bits as 43 characters that are valid in a URL. Input that cannot be a token, such as null or 10 MB of
 * text, is UNKNOWN without a request to the database. If two callers use the same token at the same time, one waits for the other.
 * It gets the token if the other's transaction rolls back.
 */
@SuppressWarnings("exports")
public interface OneTimeTokens {

    /** Allows a subject one live token at most: issuing another one revokes the former. */
    @CheckReturnValue
    OneTimeTokens onePerSubject();

    /**
     * Sets the key for codes, and for tokens that are issued under an id. Codes and ids that were issued with another key become
     * unknown.
     *
     * @param secret at least 16 random bytes that all nodes have and the database does not have
     */
    @CheckReturnValue
    OneTimeTokens pepper(byte[] secret);

    /**
     * Sets how many wrong codes a subject may give in a window. After that no code is accepted until the window is over. Default: 5
     * in 15 minutes. With codes of 6 digits that is a chance of one in 200,000.
     *
     * @param most 1 to 100
     * @param window the time from the first wrong code; 1 millisecond to 3650 days
     */
    @CheckReturnValue
    OneTimeTokens maxAttempts(int most, Duration window);

    /**
     * Sets how long a token is kept after it has expired or was revoked, so that a later caller learns why it is not valid. Default
     * one day. A use does not bring the expiry forward. After its use a token is kept for at least a minute: the answer to its user
     * may be lost, and the user may ask again.
     *
     * @param retention 0 to 3650 days
     */
    @CheckReturnValue
    OneTimeTokens keepFor(Duration retention);

    /**
     * Sets how often tokens that expired or were revoked long ago are deleted in the background. It happens at most once per
     * interval over all nodes, and only after one of them has issued something. Default 10 minutes.
     *
     * @param interval 1 minute to 1 day; zero for never, if you call {@link #purge} yourself
     */
    @CheckReturnValue
    OneTimeTokens purgeEvery(Duration interval);

    /** The purpose of the tokens. */
    String purpose();

    /**
     * Issues a token.
     *
     * @param subject the owner of the token: 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at
     *     either end
     * @param ttl how long it can be used: 1 millisecond to 3650 days
     * @return the token, which is stored nowhere
     * @throws IllegalArgumentException if the subject or the time is not valid
     * @throws DatabaseFailureException if the request to the database fails
     */
    String issue(String subject, Duration ttl);

    /**
     * Issues a token with a payload for its user.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issue(String, Duration)
     */
    String issue(String subject, Duration ttl, @Nullable String payload);

    /**
     * Issues a token; idempotent for each id: each call with it returns the same token, in its present state. So a job that is
     * started again sends the same link. Time and payload are those of the first call.
     *
     * <p>The token is the keyed hash of purpose, subject and id. With the {@link #pepper} and these three, anybody can compute it.
     *
     * @param id the caller's id: 1 to 200 characters
     * @throws IllegalStateException if there is no pepper
     * @see #issue(String, Duration)
     */
    String issue(String subject, Duration ttl, @Nullable String payload, String id);

    /**
     * Uses a token up. Of all callers that try, on any node, exactly one gets OK. After a lost answer Dibs asks again; a token is
     * never used twice.
     *
     * @param token any text from outside
     * @throws DatabaseFailureException if the request to the database fails, or another transaction has kept the token locked for seconds
     */
    TokenResult consume(@Nullable String token);

    /**
     * Uses a token up under an id of the caller. If the process is killed before it sees the answer, it can ask again with the same
     * id. Then the result is USED with {@link TokenResult#sameAttempt()} and the payload.
     *
     * @param attempt 1 to 200 characters that no other caller can guess or has by chance
     * @see #consume(String)
     */
    TokenResult consume(@Nullable String token, String attempt);

    /**
     * Uses a token up if and only if the caller's transaction commits. After a rollback it can be used again. Other callers of the
     * same token wait for the end of the transaction, so keep it short. To a transaction under REPEATABLE READ or SERIALIZABLE that
     * read anything before the token was issued, PostgreSQL and H2 may show no such token.
     *
     * @param connection the caller's, with autocommit off; Dibs retries nothing on it and changes no setting
     * @throws IllegalStateException if autocommit is on; use {@link #consume(String)} then
     * @throws DatabaseFailureException if the database refuses; roll the transaction back
     */
    TokenResult consume(Connection connection, @Nullable String token);

    /**
     * Reads a token without using it up. Use it for a GET, because link scanners and previews send GET requests, too. OK means that
     * the token could be used at that moment; only {@link #consume} decides.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    TokenResult peek(@Nullable String token);

    /**
     * Ends a token before its time.
     *
     * @return whether this call has ended a live token, also if it had to ask again after a lost answer
     * @throws DatabaseFailureException if the request to the database fails
     */
    boolean revoke(@Nullable String token);

    /**
     * Ends all live tokens and codes of a subject, for example after a change of its password.
     *
     * @return how many were ended; after a lost answer the number may be too small
     * @throws DatabaseFailureException if the request to the database fails
     */
    long revokeAll(String subject);

    /**
     * The tokens and codes of a subject that are still stored, the latest first, 1000 at most.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<TokenInfo> list(String subject);

    /**
     * The number of tokens and codes of this purpose.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    TokenCounts counts();

    /**
     * Issues a short code for a human to type. A subject has one code at most: a new one replaces it. A new code does not reset the
     * count of wrong attempts; only the end of the window does.
     *
     * @param digits 6 to 10
     * @return the code; only its keyed hash is stored
     * @throws IllegalStateException if there is no {@link #pepper}
     * @see #issue(String, Duration)
     */
    String issueCode(String subject, Duration ttl, int digits);

    /**
     * Issues a short code with a payload for its user.
     *
     * @param payload up to 4000 characters, stored as they are; null for none
     * @see #issueCode(String, Duration, int)
     */
    String issueCode(String subject, Duration ttl, int digits, @Nullable String payload);

    /**
     * Uses a subject's code up if it is this one, and otherwise counts a wrong attempt, in one statement. It never joins the
     * caller's transaction, because a rollback would undo the count.
     *
     * @param code any text from outside. Input other than 6 to 10 digits is UNKNOWN and does not count as an attempt
     * @throws IllegalStateException if there is no {@link #pepper}
     * @throws DatabaseFailureException if the request to the database fails
     */
    TokenResult consumeCode(String subject, @Nullable String code);

    /**
     * Deletes tokens that expired or were revoked longer ago than {@link #keepFor}, in small transactions that do not delay others.
     * One node at a time does so: while another node purges tokens of this purpose, this call waits, up to a day, and then deletes
     * the rest.
     *
     * @return how many tokens this call deleted
     * @throws DatabaseFailureException if the request to the database fails
     */
    long purge();
}
