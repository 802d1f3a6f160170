package dev.dibs.sql;

import java.sql.SQLException;

/**
 * A statement that did not answer, and what that means for the one who sent it.
 *
 * <p>Internal: the API turns it into its own exceptions.
 */
public final class SqlFailure extends Exception {

    private static final long serialVersionUID = 1;

    /** What is known about the statement's effect. */
    public enum Outcome {
        /** It never reached the database: no connection could be had. */
        NOT_SENT,
        /** The database undid it and would accept it again: a deadlock, a serialization failure, a lock timeout. */
        ROLLED_BACK,
        /** Another row with that key came first. */
        DUPLICATE,
        /** The database said no, and would again: a missing table, a missing right, a read-only server. */
        REFUSED,
        /** Nobody knows: the connection died between the statement and its answer. */
        UNKNOWN
    }

    private final String statement;
    private final Outcome outcome;
    private final boolean ofMany;
    private final boolean withoutConnection;

    SqlFailure(String statement, Outcome outcome, Throwable cause) {
        this(statement, outcome, cause, false, false);
    }

    private SqlFailure(String statement, Outcome outcome, Throwable cause, boolean ofMany, boolean withoutConnection) {
        super(statement + ": " + cause.getMessage(), cause);
        this.statement = statement;
        this.outcome = outcome;
        this.ofMany = ofMany;
        this.withoutConnection = withoutConnection;
    }

    /** No connection could be had. A refused password or a missing database is no passing trouble; all else may be. */
    static SqlFailure notConnected(String statement, Throwable cause) {
        boolean refused = cause instanceof SQLException e && SqlErrors.isLoginRefused(e);
        return new SqlFailure(statement, refused ? Outcome.REFUSED : Outcome.NOT_SENT, cause, false, true);
    }

    /** The connection turned out to be dead before anything was sent. */
    static SqlFailure notSent(String statement, Throwable cause) {
        return new SqlFailure(statement, Outcome.NOT_SENT, cause);
    }

    static SqlFailure sent(String statement, Throwable cause) {
        Outcome outcome = cause instanceof SQLException e ? SqlErrors.outcome(e) : Outcome.UNKNOWN;
        return new SqlFailure(statement, outcome, cause);
    }

    /** Whether a node of a cluster said no because it is cut off from most of the others. */
    public boolean isWithoutQuorum() {
        return SqlErrors.isWithoutQuorum(getCause());
    }

    /**
     * Whether it would be refused until somebody changes the statement, the table or a right. A server that is read-only after a failover or
     * is full, and a password that is being changed, are passing trouble.
     */
    public boolean isMistake() {
        return outcome == Outcome.REFUSED && !(getCause() instanceof SQLException e && SqlErrors.mayPass(e));
    }

    /** Whether no connection could be had, perhaps since the database refused the user. */
    public boolean isWithoutConnection() {
        return withoutConnection;
    }

    /** Whether the database's user lacks a right. */
    public boolean isRightMissing() {
        return outcome == Outcome.REFUSED && SqlErrors.isRightMissing(getCause());
    }

    /** Whether the database undid a transaction of the user's and would accept it again, however deep the work has wrapped that. */
    public static boolean isRolledBack(Throwable error) {
        for (Throwable t = error; t != null; t = t.getCause()) {
            if (t instanceof SQLException e) {
                return SqlErrors.outcome(e) == Outcome.ROLLED_BACK;
            }
        }
        return false;
    }

    /** The same, where something that goes with it has taken effect before: the whole is neither done nor undone. */
    public SqlFailure halfWay() {
        return new SqlFailure(statement, Outcome.UNKNOWN, getCause());
    }

    /** The same, for one of the callers whose questions went together. */
    SqlFailure asOneOfMany() {
        return new SqlFailure(statement, outcome, getCause(), true, withoutConnection);
    }

    /** Whether it was a statement for many callers and is known to have done nothing, perhaps because of one of them: each may ask alone. */
    public boolean isUndoneForMany() {
        return ofMany && outcome != Outcome.UNKNOWN && outcome != Outcome.NOT_SENT;
    }

    /** The name of the statement in its file. */
    public String statement() {
        return statement;
    }

    /** What is known about the statement's effect. */
    public Outcome outcome() {
        return outcome;
    }
}
