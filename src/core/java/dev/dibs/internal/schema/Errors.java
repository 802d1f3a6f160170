package dev.dibs.internal.schema;

import dev.dibs.DibsException;
import dev.dibs.internal.sql.Secrets;
import dev.dibs.internal.sql.SqlFailure;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Turns a statement's failure into an exception that says what to do. */
public final class Errors {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** A database that refuses everything, as a read-only one, must not be asked for all tables each time. */
    private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(5);

    private final Schema schema;
    /** Until when, by the monotonic clock, nothing is taken to be wrong with the tables that a statement needs. */
    private final Map<String, Long> fineUntil = new ConcurrentHashMap<>();

    public Errors(Schema schema) {
        this.schema = schema;
    }

    /** A question to the database. */
    public interface Question<T> {
        /** Returns the answer. */
        T ask() throws SqlFailure;
    }

    /** Asks, and explains why there is no answer. */
    public <T> T explained(Question<T> question) {
        try {
            return question.ask();
        } catch (SqlFailure e) {
            throw explain(e);
        }
    }

    public DibsException explain(SqlFailure failure) {
        return explain(failure, advice(failure));
    }

    /** Of a statement that leaves nothing behind and that can be sent twice. */
    public DibsException explainHarmless(SqlFailure failure) {
        boolean unknown = failure.outcome() == SqlFailure.Outcome.UNKNOWN;
        return explain(failure, unknown ? "Whether it took effect is not known. Try again" : advice(failure));
    }

    private static DibsException explain(SqlFailure failure, String advice) {
        return new DibsException(
                failure.statement() + " failed: " + reason(failure) + ". " + advice, failure.getCause());
    }

    /** Of the making of the tables of these capabilities, or of all tables if none is named. */
    public DibsException explainCreation(SqlFailure failure, Collection<String> capabilities) {
        String advice = failure.outcome() == SqlFailure.Outcome.REFUSED
                ? "Have somebody who may make tables run what 'dibs schema " + schema.dialect()
                        + Schema.only(capabilities) + " --grant-to USER' prints"
                : advice(failure);
        return explain(failure, advice);
    }

    public DibsException explainGuard(String name, SqlFailure failure) {
        String advice = switch (failure.outcome()) {
            case ROLLED_BACK -> "Roll back and run the transaction again, with guard as its first statement";
            case REFUSED ->
                "Roll back. Is the connection to the database that the lease is from, with the same"
                        + " schema, as a user who may use its tables?";
            default -> "Roll back";
        };
        return new DibsException(
                "guard('" + name + "') failed: " + reason(failure) + ". " + advice, failure.getCause());
    }

    public DibsException explainJoined(SqlFailure failure) {
        String advice = failure.outcome() == SqlFailure.Outcome.ROLLED_BACK
                ? "Roll back and run the transaction again"
                : "Roll back";
        return explain(failure, advice);
    }

    public void log(String what, SqlFailure failure) {
        LOG.log(Level.DEBUG, what, failure);
    }

    private static String reason(SqlFailure failure) {
        Throwable cause = failure.getCause();
        String text = failure.isWithoutConnection() ? Secrets.maskedToTheRoot(cause) : Secrets.masked(cause);
        return cause instanceof SQLException sql
                ? text + " (SQL state " + sql.getSQLState() + ", code " + sql.getErrorCode() + ")"
                : text;
    }

    private String advice(SqlFailure failure) {
        if (failure.isWithoutQuorum()) {
            return "This node of the cluster is cut off from most of the others, or has not joined them yet. See that"
                    + " they run and reach each other, or give the addresses of several nodes";
        }
        if (failure.isWithoutConnection()) {
            return "No connection could be had: see that the database runs, that its address and the user are right,"
                    + " and that the pool is not used up";
        }
        if (failure.isRightMissing()) {
            return Rights.advice(schema.dialect());
        }
        return switch (failure.outcome()) {
            case NOT_SENT -> "The connection was dead before anything was sent. Try again";
            case REFUSED -> refused(failure.statement());
            case ROLLED_BACK, DUPLICATE ->
                "The database kept refusing it for now; try again, or look for what locks the table";
            case UNKNOWN ->
                "Whether it took effect is not known; what it may have left behind is released in the"
                        + " background and ends by time. Try again";
        };
    }

    /** The most frequent reason is a table that nobody has made. */
    private String refused(String statement) {
        Long until = fineUntil.get(statement);
        String wrong = until != null && until - System.nanoTime() > 0 ? "" : whatIsWrong(statement);
        return wrong.isEmpty() ? "See what the database says above" : wrong;
    }

    private String whatIsWrong(String statement) {
        String wrong = "";
        try {
            wrong = schema.whatIsWrongFor(statement);
        } catch (SqlFailure e) {
            log("The schema could not be checked", e);
        }
        if (wrong.isEmpty()) {
            fineUntil.put(statement, System.nanoTime() + REMEMBERED);
        }
        return wrong;
    }
}
