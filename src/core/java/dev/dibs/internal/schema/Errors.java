package dev.dibs.internal.schema;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.call.Protocol;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Turns a statement's failure into an exception that says what to do. */
public final class Errors {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** A database that refuses everything, such as a read-only one, must not be asked for all tables after each failure. */
    private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(5);

    private final Schema schema;
    private final Doctor doctor;
    /** For each statement: until when, by the monotonic clock, its tables count as correct without another check. */
    private final Map<String, Long> fineUntil = new ConcurrentHashMap<>();

    public Errors(Schema schema, Doctor doctor) {
        this.schema = schema;
        this.doctor = doctor;
    }

    /** A request to the database. */
    public interface Question<T> {
        T ask() throws SqlFailure;
    }

    /** Sends a request that leaves nothing behind, and explains a failure. */
    public <T> T explained(Question<T> question) {
        try {
            return question.ask();
        } catch (SqlFailure e) {
            throw explainHarmless(e);
        }
    }

    /** Whether the database refused the statement because a table of ours is missing or is not as it must be. */
    public boolean isAboutOurTables(SqlFailure failure) {
        return failure.outcome() == SqlFailure.Outcome.REFUSED
                && !problem(failure.statement()).isEmpty();
    }

    public DatabaseFailureException explain(SqlFailure failure) {
        return explain(failure, advice(failure));
    }

    /** Explains the failure of a statement that leaves nothing behind and can be sent twice. */
    public DatabaseFailureException explainHarmless(SqlFailure failure) {
        return explain(
                failure,
                failure.outcome() == SqlFailure.Outcome.UNKNOWN
                        ? "It is unknown whether it took effect. Try again"
                        : advice(failure));
    }

    private DatabaseFailureException explain(SqlFailure failure, String advice) {
        if (failure.getCause() instanceof Protocol.Unusable unusable) {
            return new DatabaseFailureException(unusable.getMessage(), unusable);
        }
        return new DatabaseFailureException(
                failure.statement() + " failed: " + reason(failure) + ". " + advice + remedy(failure),
                failure.getCause());
    }

    /** The dialect's remedy for this very error. */
    private String remedy(SqlFailure failure) {
        String remedy = schema.remedy(failure.getCause());
        return remedy == null ? "" : ". " + remedy;
    }

    /** Explains a failure to create the tables of these capabilities, or all tables if none is named. */
    public DatabaseFailureException explainCreation(SqlFailure failure, Collection<String> capabilities) {
        if (failure.outcome() != SqlFailure.Outcome.REFUSED) {
            return explain(failure, advice(failure));
        }
        String settings = refusingSettings();
        return explain(
                failure,
                settings.isEmpty()
                        ? "As a user with the right to create and change tables, run what 'dibs init"
                                + Schema.only(capabilities) + " --dry-run' prints, and what 'dibs schema "
                                + schema.dialect() + Schema.only(capabilities) + " --grant-to USER' prints"
                        : settings);
    }

    public DatabaseFailureException explainGuard(String name, SqlFailure failure) {
        String advice = failure.outcome() == SqlFailure.Outcome.REFUSED && !failure.isStalePlan()
                ? "Roll back. May the transaction write? Is its connection to the database of this Dibs, with the"
                        + " same schema, by a user with rights on its tables?"
                : rollBack(failure, "Roll back, and run the transaction again with its guard as the first statement");
        return new DatabaseFailureException(
                "the guard on '" + name + "' failed: " + reason(failure) + ". " + advice + remedy(failure),
                failure.getCause());
    }

    public DatabaseFailureException explainJoined(SqlFailure failure) {
        return explain(failure, rollBack(failure, "Roll back and run the transaction again"));
    }

    /** If the plan was not stale, the database does not support the statement, and would refuse it again and again. */
    private static String rollBack(SqlFailure failure, String andAgain) {
        if (failure.isStalePlan()) {
            return andAgain + ": a table may have been changed after the statement was prepared. If it is refused"
                    + " again, the database does not support it";
        }
        return failure.outcome() == SqlFailure.Outcome.ROLLED_BACK ? andAgain : "Roll back";
    }

    public void log(String what, Exception failure) {
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
            return "This node of the cluster is cut off from most of the others, or has not joined them yet. Check that"
                    + " they run and reach each other, or give the addresses of several nodes";
        }
        if (failure.isWithoutConnection()) {
            return "There is no connection: check that the database runs, that its address and the user are right,"
                    + " and that the pool is open and has a free connection";
        }
        if (failure.isRightMissing()) {
            return Rights.advice(schema.dialect());
        }
        if (failure.getCause() instanceof Protocol.Unusable) {
            return "";
        }
        return switch (failure.outcome()) {
            case NOT_SENT -> "The connection was dead before anything was sent. Try again";
            case REFUSED, DUPLICATE -> refused(failure);
            case ROLLED_BACK -> "The database kept refusing it; try again, or find out what locks the table";
            case NO_ANSWER ->
                "There was no answer in time, or none that says more. It only reads, so nothing was changed by it. Try again";
            case UNKNOWN ->
                (failure.isPartly() ? refused(failure) + ". " : "")
                        + "It is unknown whether it took effect; what it may have left behind is released in the"
                        + " background and ends by time. Try again";
        };
    }

    /** The most frequent reason is a missing table, and the next one a setting of the session. */
    private String refused(SqlFailure failure) {
        if (failure.isConstraint()) {
            return "The table refuses these values, by a constraint, a unique key or a trigger: correct them, or the table";
        }
        String statement = failure.statement();
        Long until = fineUntil.get(statement);
        String wrong = "";
        if (until == null || until - System.nanoTime() <= 0) {
            wrong = problem(statement);
            wrong = wrong.isEmpty() ? refusingSettings() : wrong;
        }
        if (!wrong.isEmpty()) {
            return wrong;
        }
        return failure.mayPass()
                ? "The database refuses it for now: its message above names the reason. Try again when that is over"
                : "The database's message above names the reason. The statement is that of the dialect "
                        + schema.dialect();
    }

    private String refusingSettings() {
        try {
            return doctor.refusingSettings();
        } catch (SqlFailure e) {
            log("The settings could not be checked", e);
            return "";
        }
    }

    private String problem(String statement) {
        String wrong = "";
        try {
            wrong = schema.problemOf(statement);
        } catch (SqlFailure e) {
            log("The schema could not be checked", e);
        }
        if (wrong.isEmpty()) {
            fineUntil.put(statement, System.nanoTime() + REMEMBERED);
        }
        return wrong;
    }
}
