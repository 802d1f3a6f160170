package dev.dibs;

import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import java.util.Optional;

/**
 * Tables, checks and lists, for operators and for the start of an application. Made by {@link Dibs#admin}; safe for use by any
 * thread.
 *
 * <p>After its {@link Dibs} is closed, every method that asks the database throws {@code IllegalStateException}.
 */
public interface Admin {

    /**
     * Creates the missing tables, and adds the missing columns to tables of an earlier version of Dibs. Programs of the earlier
     * version go on working beside it. It is idempotent, and many nodes may call it at once. A user without the rights to create and
     * change tables may call it if nothing is missing. To add a column waits for transactions that have the table locked, as guarded
     * ones do. On H2 nothing else may use the database while a column is added: H2 loses what others write then.
     *
     * @param only the capabilities whose tables are created, with the tables that these need; none named: all tables
     * @throws DatabaseFailureException if the database refuses; then run {@link #missingSchema} and {@link Dialect#grants} as a user
     *     with the rights. Also if one of these tables is of a later, incompatible version of Dibs; then nothing is created
     */
    void createSchema(Capability... only);

    /**
     * The statements that {@link #createSchema} would send now, in order, and none if nothing is missing. Changes nothing.
     *
     * @param only the capabilities, as there
     * @throws DatabaseFailureException if one of these tables is of a later, incompatible version of Dibs, or the request to the
     *     database fails
     */
    List<String> missingSchema(Capability... only);

    /**
     * Checks whether tables or columns are missing. A capability without any table counts as unused. That is an error only if you
     * name it here, or if there is no table at all.
     *
     * @param required the capabilities whose tables must exist
     * @throws DatabaseFailureException if something is missing; the message names the table or column and the command that adds it. Also if a
     *     table is of a later, incompatible version of Dibs
     */
    void checkSchema(Capability... required);

    /**
     * Examines connection, dialect, tables, rights, settings and clocks. A check that fails is a warning with its error, and the others are
     * made all the same. Without a connection the call takes up to three times as long as a request for one.
     */
    List<Finding> doctor();

    /** A description of the database for people: {@code postgresql://db1:5432/shop}. Takes a connection, but sends no statement. */
    String database();

    /**
     * The locks that are held now, sorted by name, without those of Dibs' own {@linkplain LeaseInfo#isMaintenance maintenance}. On
     * PostgreSQL also those that a {@linkplain LeaseInfo.Kind#TRANSACTION transaction} has without a lease.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<LeaseInfo> locks();

    /**
     * Takes a lock from its holder by force, and frees a lock that is held back. The holder learns of it at its next renewal, after a third of its lease at most. Until
     * then only its work under {@link Lease#guard} is safe from the next holder. While the holder has a guarded transaction
     * open, nobody else gets the lock. Most databases then refuse to break it.
     *
     * @return the former holder; empty if there was none
     * @throws IllegalArgumentException if the name is not valid
     * @throws DatabaseFailureException if the row is locked at the moment, as by a guarded transaction; or if the request to the database
     *     fails
     */
    Optional<LeaseInfo> breakLock(String name);

    /**
     * The {@link #locks}, permits, writers and readers that are held now, sorted by name. Without the locks of Dibs' own {@linkplain
     * LeaseInfo#isMaintenance maintenance}, and without work that is done {@linkplain #onces once a period}.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<LeaseInfo> leases();

    /**
     * Like {@link #leases}, with the locks of Dibs' own {@linkplain LeaseInfo#isMaintenance maintenance}.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<LeaseInfo> allLeases();

    /**
     * The callers that wait for {@linkplain NamedLock#fair fair} locks now, sorted by name, and for each name in the order in which
     * they are served. Of each: the label of its instance, and since when it waits. Only these waiters are known to the database: others
     * ask again from time to time.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<LeaseInfo> waiters();

    /**
     * Takes the leases with this name and of these kinds from all their holders by force. The limits of {@link #breakLock} apply.
     *
     * @return the former holders; a new caller may acquire it in between
     * @throws IllegalArgumentException if the name is not valid, or no kind is given
     * @throws DatabaseFailureException if a row is locked at the moment, as by a guarded transaction; the other rows are broken all the same.
     *     Also if the request to the database fails
     */
    List<LeaseInfo> breakLeases(String name, LeaseInfo.Kind... kinds);

    /**
     * Takes one lease from its holder by force, if that holder still has it. If the name has another holder by now, that one keeps
     * its lease. The limits of {@link #breakLock} apply. Readers of a name with the same label that began in the same millisecond
     * lose their leases together.
     *
     * @param lease as a list showed it; it may have been renewed since
     * @return whether the holder still had it
     * @throws DatabaseFailureException if its row is locked at the moment, as by a guarded transaction; or if the request to the
     *     database fails
     */
    boolean breakLease(LeaseInfo lease);

    /**
     * All work that was ever done once a period, sorted by name.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<OnceInfo> onces();

    /**
     * The progress of all runs, sorted by name.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<RunStatus> runs();

    /**
     * The number of tokens for each purpose that has some, sorted by purpose.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<TokenCounts> tokenCounts();

    /** The counters of this instance since it was created, as JMX shows them. */
    DibsMXBean statistics();
}
