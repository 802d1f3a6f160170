package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.Unquoted;
import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.PreparedSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work: calls that are sent on one connection. It is sent again if the database refused it, because a refused one has
 * changed nothing.
 *
 * <p>The database may be unable to store the texts for people: they are put in ASCII, and the work is sent a second time. It may also have a
 * stale plan: after a table was changed, each connection that has prepared the statement refuses it once, and a pool may close that
 * connection. A feature that the database does not have looks the same.
 *
 * <p>For one thread at a time.
 */
abstract class Sending implements Connections.Work {

    /** As many connections as a pool usually has, and some, each refuse a statement once. */
    static final int STALE_PLANS = 20;

    final Runner runner;
    private int stalePlans;
    private boolean inAscii;

    /** Whether a text for people was sent that the database may be unable to store. */
    private boolean isForeign;

    /**
     * For calls in one dialect.
     *
     * @param stalePlans how often it is sent because of a stale plan: more than once for tables that their owner may change at any time
     */
    Sending(Runner runner, int stalePlans) {
        this.runner = runner;
        this.stalePlans = stalePlans;
    }

    /** The call that a result answers; null if there is none. */
    abstract @Nullable Call<?> answeredBy(ResultSet result) throws SQLException;

    @Override
    public final boolean isToBeSentAgain(SqlFailure failure) {
        if (failure.isStalePlan()) {
            return --stalePlans > 0;
        }
        boolean again = failure.outcome() == SqlFailure.Outcome.REFUSED
                && !failure.isWithoutConnection()
                && !inAscii
                && isForeign;
        inAscii |= again;
        return again;
    }

    /** The same, and then this, on the same connection. */
    final Connections.Work then(Connections.Work more) {
        Sending first = this;
        return new Connections.Work() {
            @Override
            public void run(Connection connection) throws SQLException {
                first.run(connection);
                more.run(connection);
            }

            @Override
            public boolean isToBeSentAgain(SqlFailure failure) {
                return first.isToBeSentAgain(failure);
            }
        };
    }

    /** The database has accepted a call. */
    final void accepted(Call<?> call) {
        if (inAscii) {
            runner.remember(call.freeTexts());
        }
    }

    /** Binds the values of a call to the markers from the given one on; returns the next one. */
    final int bind(Connection connection, PreparedStatement statement, int first, Call<?> call, BoundSql step)
            throws SQLException {
        for (int i = 0; i < step.slots().size(); i++) {
            isForeign |= runner.bind(
                    connection, statement, first + i, call, step.slots().get(i), inAscii);
        }
        return first + step.slots().size();
    }

    /**
     * Sends one text, whose values are bound, and reads all of its results, since it may answer with several counts and results. The last
     * count is the first call's. Under SET NOCOUNT ON there may be none, so statements whose count matters return rows there.
     *
     * @return false if the only answer is that nothing was changed
     */
    final boolean execute(PreparedStatement statement, PreparedSql text, Call<?> first) throws SQLException {
        CallLimit limit = first.limit();
        try {
            if (limit != null) {
                limit.begin(statement);
            }
            first.counted(0);
            boolean mayHaveChanged = true;
            boolean isResult = statement.execute();
            boolean hasResult = isResult;
            while (true) {
                if (isResult) {
                    read(statement);
                } else {
                    int count = statement.getUpdateCount();
                    if (count < 0) {
                        return mayHaveChanged;
                    }
                    mayHaveChanged = hasResult || count != 0 || text.isSeveral();
                    first.counted(count);
                    if (text.key() != null) {
                        readKeys(statement, first);
                    }
                }
                isResult = statement.getMoreResults();
            }
        } finally {
            if (limit != null) {
                limit.end();
            }
        }
    }

    private void read(PreparedStatement statement) throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            Call<?> call = answeredBy(result);
            if (call != null) {
                call.read(result);
            }
        }
    }

    /** There are none if nothing was changed; a driver may then return none, or fail. */
    private static void readKeys(PreparedStatement statement, Call<?> call) throws SQLException {
        if (call.changed() > 0) {
            try (ResultSet keys = statement.getGeneratedKeys()) {
                call.read(keys);
            }
        }
    }

    /** An error of a text, without the values that it may quote. */
    final SQLException unquoted(SQLException e, PreparedSql text) {
        return Unquoted.error(e, text.parameters(), runner.errors);
    }
}
