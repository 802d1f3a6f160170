package dev.dibs;

import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import java.util.Optional;

/**
 * Tables, checks and lists, for operators and for the start of an application. Made by {@link Dibs#admin}; safe for use by any thread.
 *
 * <p>After the end of its {@link Dibs} every method that would ask the database throws {@code IllegalStateException}.
 */
public interface Admin {

    /**
     * Makes the tables that are not there. Many nodes may call it at once; a user who may not make tables, where all are there.
     *
     * @param only the capabilities whose tables are made, with the tables that these need; none named: all tables
     * @throws DibsException if the database refuses; then run {@link Dialect#ddl()} and {@link Dialect#grants} as somebody who may
     */
    void createSchema(Capability... only);

    /**
     * Looks whether tables or columns are missing. A capability of which no table is there is not used yet. That is an error only if it is
     * named here, or if there is no table at all.
     *
     * @param required the capabilities that must be there
     * @throws DibsException if something is missing, naming the table or column and the command that adds it
     */
    void checkSchema(Capability... required);

    /**
     * Examines connection, dialect, tables, rights, settings and clocks.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<Finding> doctor();

    /** Which database this is, for people: {@code postgresql://db1:5432/shop}. Sends no statement, but takes a connection. */
    String database();

    /**
     * Who holds a lock now, sorted by name; without the locks of Dibs' own {@linkplain HolderInfo#isMaintenance maintenance}.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<LockInfo> locks();

    /**
     * Takes a lock from its holder by force. The holder learns of it at its next renewal, a third of its lease later at most; until then
     * only what it does under {@link Lease#guard} is safe from the next holder. While a guarded transaction of the holder is open, nobody
     * gets the lock; most databases refuse to break it meanwhile.
     *
     * @return who had it; empty if nobody had
     * @throws IllegalArgumentException if it cannot be a name
     * @throws DibsException if the row is locked just now, as by a guarded transaction, or the database cannot be asked
     */
    Optional<LockInfo> breakLock(String name);

    /** Who holds what of every kind, not only locks: to be listed, and broken. */
    Holders holders();

    /**
     * All that was ever done once a period, sorted by name.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<OnceInfo> onces();

    /**
     * How far all runs are, sorted by name.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<RunStatus> runs();

    /**
     * How many tokens there are, for each purpose that has some, sorted by purpose.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<TokenCounts> tokenCounts();

    /** What this instance has done since it was made: the figures that it shows over JMX. */
    DibsMXBean figures();
}
