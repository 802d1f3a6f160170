package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.connect.Settings;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.PreparedSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Sends one call of one step: nearly every call is one. */
final class OneStatement extends Sending {

    private final Call<?> call;
    private final BoundSql step;

    /** The step is the only one of the call. */
    OneStatement(Runner runner, Call<?> call, BoundSql step, int stalePlans) {
        super(runner, stalePlans);
        this.call = call;
        this.step = step;
    }

    @Override
    public void run(Connection connection) throws SQLException {
        call.forget();
        runner.protocol.require(connection, call, false);
        if (step.answersBeforeCommit() && connection.getAutoCommit()) {
            Settings.transact(connection, this);
            return;
        }
        PreparedSql text = step.text();
        String key = text.key();
        try (PreparedStatement statement = key == null
                ? connection.prepareStatement(text.jdbc())
                : connection.prepareStatement(text.jdbc(), new String[] {key})) {
            bind(connection, statement, 1, call, step);
            execute(statement, text, call);
        } catch (SQLException e) {
            throw unquoted(e, text);
        }
        accepted(call);
    }

    @Override
    public boolean changes() {
        return call.changes();
    }

    @Override
    public Asked asked() {
        return runner.asked(step.text());
    }

    @Override
    public boolean mayCollide() {
        return call.collides();
    }

    @Override
    @Nullable
    Call<?> answeredBy(ResultSet result) throws SQLException {
        return call.mayRead(result) ? call : null;
    }
}
