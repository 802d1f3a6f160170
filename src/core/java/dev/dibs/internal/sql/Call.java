package dev.dibs.internal.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its values, which may go to the database together with others, and what came back for it.
 *
 * <p>Sent once. For one thread.
 */
public final class Call<T> {

    private final String statement;
    private final List<SqlText> steps;
    private final Params params;
    private final RowReader<T> reader;
    private final List<T> rows = new ArrayList<>();
    private @Nullable String label;
    private long changed;

    Call(String statement, List<SqlText> steps, Params params, RowReader<T> reader) {
        this.statement = statement;
        this.steps = steps;
        this.params = params;
        this.reader = reader;
    }

    /**
     * Its results are those whose first column has this name; without one it gets what no other call of the same text
     * does. A text of several statements answers with results of which nothing else tells whose they are.
     */
    public Call<T> labelled(String firstColumn) {
        label = firstColumn;
        return this;
    }

    /** What came back. */
    public List<T> rows() {
        return rows;
    }

    /** The last update count. */
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
