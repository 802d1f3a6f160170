package dev.dibs.internal.sql.errors;

import dev.dibs.internal.values.Strings;
import java.util.EnumSet;

/**
 * A statement without an answer, or with an error, and its meaning for the caller.
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
        /** The database refused it, and would again: a missing table, a constraint, a trigger, a read-only server. */
        REFUSED,
        /** None: it only reads, and there was no answer. */
        NO_ANSWER,
        /** Unknown: the connection died between the statement and its answer. */
        UNKNOWN
    }

    private final String statement;
    private final Outcome outcome;
    /** Of the part that failed, if an earlier one may have taken effect; else the same. */
    private final Outcome ofPart;

    private final EnumSet<ErrorMeaning> meanings;
    private final boolean withoutConnection;
    private final Batch batch;

    /** Whether the statement was that of a batch, and what that means. */
    private enum Batch {
        NONE,
        /** The failure is one for all callers of the batch. */
        OF_ALL,
        /** The cause may be the thread of another caller, which sent for this one. */
        OF_ANOTHER
    }

    /** For a statement that no database has answered. */
    public SqlFailure(String statement, Outcome outcome, Throwable cause) {
        this(statement, outcome, cause, EnumSet.noneOf(ErrorMeaning.class), false);
    }

    /**
     * For a database's answer.
     *
     * @param meanings the meanings of its errors
     * @param withoutConnection whether there was no connection
     */
    SqlFailure(
            String statement,
            Outcome outcome,
            Throwable cause,
            EnumSet<ErrorMeaning> meanings,
            boolean withoutConnection) {
        this(statement, outcome, outcome, cause, meanings, withoutConnection, Batch.NONE);
    }

    private SqlFailure(
            String statement,
            Outcome outcome,
            Outcome ofPart,
            Throwable cause,
            EnumSet<ErrorMeaning> meanings,
            boolean withoutConnection,
            Batch batch) {
        // In one line, for logs: some drivers repeat the statement, and a quoted value may have line breaks.
        super(statement + ": " + Strings.oneLine(Secrets.masked(cause)), cause);
        this.statement = statement;
        this.outcome = outcome;
        this.ofPart = ofPart;
        this.meanings = meanings;
        this.withoutConnection = withoutConnection;
        this.batch = batch;
    }

    /** Whether a node of a cluster refused it because it is cut off from most of the others. */
    public boolean isWithoutQuorum() {
        return meanings.contains(ErrorMeaning.WITHOUT_QUORUM);
    }

    /**
     * Whether it would be refused until the statement, the row, the table or a right is changed. Other refusals pass: a server that is
     * read-only after a failover, a full disk, a password that is being changed.
     */
    public boolean isMistake() {
        return ofPart == Outcome.DUPLICATE
                || (ofPart == Outcome.REFUSED
                        && !meanings.contains(ErrorMeaning.MAY_PASS)
                        && !meanings.contains(ErrorMeaning.LOGIN_REFUSED));
    }

    /** Whether the database refuses it for now: it may accept it later, though nothing is corrected. */
    public boolean mayPass() {
        return ofPart == Outcome.REFUSED && meanings.contains(ErrorMeaning.MAY_PASS);
    }

    /** Whether a constraint refused it, or a unique key. */
    public boolean isConstraint() {
        return ofPart == Outcome.DUPLICATE || meanings.contains(ErrorMeaning.CONSTRAINT);
    }

    /** Whether the files know it as a refusal. An error that they do not know says nothing of the transaction. */
    public boolean isKnownRefusal() {
        return outcome == Outcome.REFUSED
                && (meanings.contains(ErrorMeaning.REFUSED) || meanings.contains(ErrorMeaning.CONSTRAINT));
    }

    /** Whether the database has answered, but a part of it may have taken effect. Nothing is on its way: one look shows what it has done. */
    public boolean isPartly() {
        return outcome == Outcome.UNKNOWN && isAnswer(ofPart);
    }

    private static boolean isAnswer(Outcome outcome) {
        return outcome == Outcome.ROLLED_BACK || outcome == Outcome.DUPLICATE || outcome == Outcome.REFUSED;
    }

    /** What decides whether it is sent again. */
    public Outcome toRetry() {
        return isPartly() ? ofPart : outcome;
    }

    /** The same after a look has shown that nothing of it took effect. */
    public SqlFailure undone() {
        return isPartly() ? with(ofPart, ofPart) : this;
    }

    /** The same if only one statement of the text changes something: the refusal is that of the change, unless it was an interrupt. */
    public SqlFailure ofOneChange() {
        return mayPass() ? this : undone();
    }

    /** The same where a duplicate key means that another caller was faster: it is over when it is sent again. */
    public SqlFailure asCollision() {
        return ofPart == Outcome.DUPLICATE
                ? with(outcome == ofPart ? Outcome.ROLLED_BACK : outcome, Outcome.ROLLED_BACK)
                : this;
    }

    private SqlFailure with(Outcome whole, Outcome part) {
        return new SqlFailure(statement, whole, part, getCause(), meanings, withoutConnection, batch);
    }

    /** Whether it was refused perhaps only because a table was changed after the statement was prepared. */
    public boolean isStalePlan() {
        return meanings.contains(ErrorMeaning.STALE_PLAN);
    }

    /** Whether there was no connection, perhaps because the database refused the user. */
    public boolean isWithoutConnection() {
        return withoutConnection;
    }

    /** Whether the database's user lacks a right. */
    public boolean isRightMissing() {
        return ofPart == Outcome.REFUSED && meanings.contains(ErrorMeaning.RIGHT_MISSING);
    }

    /** The same, if an earlier part has taken effect, or may have: the whole is neither done nor undone. */
    public SqlFailure partlyCommitted() {
        return new SqlFailure(statement, Outcome.UNKNOWN, ofPart, getCause(), meanings, false, Batch.NONE);
    }

    /** The same, if it only reads. */
    public SqlFailure ofReading() {
        return outcome == Outcome.UNKNOWN && !isPartly()
                ? new SqlFailure(statement, Outcome.NO_ANSWER, getCause(), meanings, withoutConnection)
                : undone();
    }

    /** The same, for one caller of a batch. */
    public SqlFailure asOneOfMany() {
        return new SqlFailure(statement, outcome, ofPart, getCause(), meanings, withoutConnection, Batch.OF_ALL);
    }

    /** The same, for a caller of a batch, if the thread that sent it was interrupted. */
    public SqlFailure ofAnother() {
        return new SqlFailure(statement, outcome, ofPart, getCause(), meanings, withoutConnection, Batch.OF_ANOTHER);
    }

    /** An error in the thread that sent for this caller. */
    public static SqlFailure ofAnother(Throwable error) {
        return new SqlFailure("one of many", Outcome.UNKNOWN, error).ofAnother();
    }

    /** Whether it was a batch and is known to have done nothing, perhaps because of one of its callers: each may ask alone. */
    public boolean isUndoneForMany() {
        return batch != Batch.NONE && outcome != Outcome.UNKNOWN && outcome != Outcome.NO_ANSWER && !isNotSent();
    }

    /** Whether the cause may be the thread of another caller: its interrupt, or an error that struck it. Then it is worth another try. */
    public boolean isOfAnother() {
        return batch == Batch.OF_ANOTHER;
    }

    /** Whether nothing was sent: there was no connection, or it was dead. */
    public boolean isNotSent() {
        return outcome == Outcome.NOT_SENT || withoutConnection;
    }

    public String statement() {
        return statement;
    }

    /** What is known about the statement's effect. */
    public Outcome outcome() {
        return outcome;
    }
}
