package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.connect.Settings;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.PreparedSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends several calls, or one of several steps: in one round trip if the database can. */
final class JoinedStatements extends Sending {

    private final List<Call<?>> calls;
    private final @Nullable Supplier<List<Call<?>>> dependent;
    /** Whether several calls may go in one text. */
    boolean mayJoin = true;

    private final List<Call<?>> sent = new ArrayList<>();
    /** Those of the text that is being sent. */
    private List<Call<?>> together = List.of();

    private @Nullable PreparedSql sending;
    /** Whether a text may have changed something, and was answered. */
    private boolean changed;

    /**
     * For calls that are sent in turn.
     *
     * @param dependent makes further calls after the answers to these; null if there are none
     */
    JoinedStatements(Runner runner, List<Call<?>> calls, @Nullable Supplier<List<Call<?>>> dependent, int stalePlans) {
        super(runner, stalePlans);
        this.calls = calls;
        this.dependent = dependent;
    }

    @Override
    public void run(Connection connection) throws SQLException {
        sent.clear();
        changed = false;
        for (List<Call<?>> part = calls; part != null; part = part == calls ? dependent() : null) {
            prepare(connection, part);
            if (mayJoin && part.size() > 1 && runner.isOneText(part)) {
                sendTogether(connection, part);
                continue;
            }
            for (Call<?> call : part) {
                for (BoundSql step : call.steps()) {
                    if (call.shouldRun(step.text().when())) {
                        send(connection, call, step);
                    }
                }
            }
        }
        sent.forEach(this::accepted);
    }

    private @Nullable List<Call<?>> dependent() {
        return dependent == null ? null : dependent.get();
    }

    private void prepare(Connection connection, List<Call<?>> part) throws SQLException {
        sent.addAll(part);
        for (Call<?> call : part) {
            call.forget();
            runner.protocol.require(connection, call, false);
        }
    }

    private void send(Connection connection, Call<?> call, BoundSql step) throws SQLException {
        if (step.answersBeforeCommit() && connection.getAutoCommit()) {
            Settings.transact(connection, own -> send(own, call, step));
            return;
        }
        together = List.of(call);
        PreparedSql text = step.text();
        sending = text;
        String key = text.key();
        try (PreparedStatement statement = key == null
                ? connection.prepareStatement(text.jdbc())
                : connection.prepareStatement(text.jdbc(), new String[] {key})) {
            bind(connection, statement, 1, call, step);
            changed |= execute(statement, text, call) && step.changes();
        } catch (SQLException e) {
            throw unquoted(e, text);
        }
    }

    private void sendTogether(Connection connection, List<Call<?>> part) throws SQLException {
        together = part;
        PreparedSql text = runner.join(part);
        sending = text;
        try (PreparedStatement statement = connection.prepareStatement(text.jdbc())) {
            int index = 1;
            for (Call<?> call : part) {
                index = bind(connection, statement, index, call, call.steps().get(0));
            }
            execute(statement, text, part.get(0));
        } catch (SQLException e) {
            throw unquoted(e, text);
        }
    }

    @Override
    public boolean changes() {
        return dependent != null || calls.stream().anyMatch(Call::changes);
    }

    @Override
    public Asked asked() {
        return changed ? Asked.SEVERAL : sending == null ? Asked.STATEMENT : runner.asked(sending);
    }

    @Override
    public boolean mayCollide() {
        return together.size() == 1 && together.get(0).collides();
    }

    @Override
    @Nullable
    Call<?> answeredBy(ResultSet result) throws SQLException {
        Call<?> rest = null;
        for (Call<?> call : together) {
            if (call.isFor(result)) {
                return call;
            }
            rest = call.isLabelled() ? rest : call;
        }
        return rest;
    }
}
