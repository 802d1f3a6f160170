package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.files.SqlText;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.StepCondition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its values, and its answer. It may be sent together with others.
 *
 * <p>Sent once, or again if the database refused it. For one thread.
 */
public final class Call<T> {

    private final String statement;
    private final List<SqlText> steps;
    private final Params params;
    private final RowReader<T> reader;
    private final List<T> rows = new ArrayList<>();
    private Predicate<? super T> settles = row -> false;
    private @Nullable String label;
    private @Nullable CallLimit limit;
    private boolean inTransaction;
    private long changed;

    private Call(String statement, List<SqlText> steps, Params params, RowReader<T> reader) {
        this.statement = statement;
        this.steps = steps;
        this.params = params;
        this.reader = reader;
    }

    /** One statement with its values, ready to be sent. */
    public static <T> Call<T> of(Statements statements, String name, Params params, RowReader<T> reader) {
        return new Call<>(name, statements.steps(name), params, reader);
    }

    /** A change, which is read like the others of its text, and whose rows say no more than that they are there. */
    public static Call<Boolean> change(Statements statements, String name, Params params) {
        return of(statements, name, params, row -> true).labelled("dibs_nothing");
    }

    /** The text of its last step, for a person to read or run. */
    public String lastText() {
        return steps.get(steps.size() - 1).jdbc();
    }

    /**
     * Its results are those whose first column has this name. Without a label, it gets the results that no other call of the same text has.
     * In a text of several statements, nothing else shows to which call a result belongs.
     */
    public Call<T> labelled(String firstColumn) {
        label = firstColumn;
        return this;
    }

    /** A row after which the steps with {@code unless} must not be sent. */
    Call<T> settledBy(Predicate<? super T> row) {
        settles = row;
        return this;
    }

    /** Whether a step is to be sent, after the answers to those before it. */
    boolean goesOn(StepCondition when) {
        return (!when.ifNoRow() || rows.isEmpty())
                && (when.unless().isEmpty() || rows.stream().noneMatch(settles));
    }

    /** It must be sent in a JDBC transaction, though it is one statement. */
    public Call<T> inTransaction(boolean needed) {
        inTransaction = needed;
        return this;
    }

    boolean isInTransaction() {
        return inTransaction;
    }

    /** The database itself is to end the statement at this limit. */
    public Call<T> within(CallLimit most) {
        limit = most;
        return this;
    }

    @Nullable
    CallLimit limit() {
        return limit;
    }

    /** The rows of all results of the answer. */
    public List<T> rows() {
        return rows;
    }

    /** The first row, if there is one. */
    public Optional<T> first() {
        return rows.stream().findFirst();
    }

    /** Whether it found a row: it returned one, or changed one. */
    public boolean hit() {
        return !rows.isEmpty() || changed > 0;
    }

    /** The last update count, 0 if there was none. */
    public long changed() {
        return changed;
    }

    String statement() {
        return statement;
    }

    List<SqlText> steps() {
        return steps;
    }

    Params params() {
        return params;
    }

    /** Before it is sent once more: the database has undone its effect. */
    void forget() {
        rows.clear();
        changed = 0;
    }

    void counted(long count) {
        changed = count;
    }

    boolean isFor(ResultSet result) throws SQLException {
        return label != null
                && label.equals(result.getMetaData().getColumnLabel(1).toLowerCase(Locale.ROOT));
    }

    boolean isLabelled() {
        return label != null;
    }

    void read(ResultSet result) throws SQLException {
        while (result.next()) {
            rows.add(reader.read(result));
        }
    }
}
