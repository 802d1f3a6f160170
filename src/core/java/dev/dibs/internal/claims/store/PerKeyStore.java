package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * A store whose rows can be claimed in turn, by {@code per_key.sql}.
 *
 * @param <M> what its statement answers for a row that it has marked
 */
interface PerKeyStore<T, M> extends ClaimStore<T> {

    /**
     * What the names in {@code per_key.sql} stand for.
     *
     * @param chosen whether the token is the caller's and may have rows already
     */
    Map<String, String> perKeyTexts(boolean chosen);

    /** The values that each of its statements may use. */
    Params params(String token);

    /** The call that marks rows. */
    <R> Call<R> marking(Statements perKey, Params params, RowReader<R> reader);

    M mark(ResultSet row) throws SQLException;

    /** Locks those of the rows that are free, and that claims would change themselves. */
    default Call<RowKey> locking(List<RowKey> keys) {
        throw new UnsupportedOperationException("claims change no row of the user's");
    }

    /** The rows that were marked, once that is committed. */
    List<ClaimedRow<T>> claimed(String token, List<M> marks, Steps.Transactions more) throws SqlFailure;
}
