package dev.dibs.sql;

import dev.dibs.sql.SqlFailure.Outcome;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a SQL state or a vendor's code says about the statement's effect. Never decided by message text.
 *
 * <p>Whatever is not known to be an answer of the database counts as {@link Outcome#UNKNOWN}, the careful reading.
 */
final class SqlErrors {

    /** Serialization failure, deadlock, lock not available (PostgreSQL), H2's lock timeout. */
    private static final Set<String> ROLLED_BACK_STATES = Set.of("40001", "40P01", "55P03", "40002");

    /**
     * 1205: deadlock victim (SQL Server), lock wait timeout (MySQL); 1213 deadlock, 1020 changed since last read (MariaDB);
     * 3572 NOWAIT (MySQL); 1222 lock request timeout, 3960 snapshot conflict (SQL Server); 50200 lock timeout, 90131
     * concurrent update (H2). The codes of different products do not clash here.
     */
    private static final Set<Integer> ROLLED_BACK_CODES = Set.of(1205, 1213, 1020, 3572, 1222, 3960, 50200, 90131);

    /** MariaDB's driver lost the connection, and has opened another one by itself: what became of the statement nobody knows. */
    private static final String RECONNECTED = "25S03";

    /** Syntax or access (42), data (22), cardinality (21), feature (0A), wrong transaction state as read-only (25), 3D, 3F. */
    private static final Set<String> REFUSED_CLASSES =
            Set.of("42", "22", "21", "0A", "25", "3D", "3F", "28", "44", "53");

    /**
     * H2 reports a missing table, column or schema, a refused right and a read-only database with its own codes, SQL Server all of
     * its errors: 208 and 207 no such table or column, 229 and 262 no right to it, 3906 read-only, 650 wrong isolation, 468
     * collations that differ, 8622 no plan, 102, 156, 4104 and 4145 no SQL. MariaDB and MySQL: 1146 and 1054 no such table or column, 1290 and 1836 read-only.
     */
    private static final Set<Integer> REFUSED_CODES = Set.of(
            42102, 42122, 42104, 90079, 90096, 90097, 208, 207, 229, 262, 3906, 650, 468, 8622, 102, 156, 4104, 4145,
            1146, 1054, 1290, 1836);

    /** Of these: read-only (25), no resources (53), and those of a login; the read-only ones of H2, SQL Server, MariaDB and MySQL. */
    private static final Set<String> PASSING_CLASSES = Set.of("25", "53", "28", "3D");

    private static final Set<Integer> PASSING_CODES = Set.of(90097, 3906, 1290, 1836);

    /** Access refused, as PostgreSQL has it. */
    private static final String RIGHT_MISSING_STATE = "42501";

    /**
     * H2: not enough rights. MariaDB and MySQL: no right to a table, a column, an operation, a routine. SQL Server: no right to an
     * object, to a column, to make tables.
     */
    private static final Set<Integer> RIGHT_MISSING_CODES = Set.of(90096, 1142, 1143, 1227, 1370, 229, 230, 262);

    /** A node of Galera that has lost sight of most of the others, or has not joined them yet. */
    private static final int NO_QUORUM = 1047;

    /** SQL Server's, whose state would be 42000 under xopenStates=true. */
    private static final Set<Integer> DUPLICATE_CODES = Set.of(2627, 2601);

    /** Invalid authorization; no such database; no such schema. */
    private static final Set<String> LOGIN_CLASSES = Set.of("28", "3D", "3F");

    /**
     * SQL Server's: wrong password, untrusted domain, disabled, locked out, expired, to be changed. MariaDB's
     * and MySQL's: no right to the database, wrong password, no such database.
     */
    private static final Set<Integer> LOGIN_CODES = Set.of(18456, 18452, 18470, 18486, 18487, 18488, 1044, 1045, 1049);

    private SqlErrors() {}

    /** The first one that says anything decides: what lies below a lost connection is no answer to this statement. */
    static Outcome outcome(SQLException e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && (sql.getErrorCode() != 0 || classOf(sql.getSQLState()) != null)) {
                return ofOne(sql);
            }
        }
        return Outcome.UNKNOWN;
    }

    private static Outcome ofOne(SQLException e) {
        String state = e.getSQLState();
        String kind = classOf(state);
        if ("08".equals(kind) || RECONNECTED.equals(state)) {
            return Outcome.UNKNOWN;
        }
        if (ROLLED_BACK_CODES.contains(e.getErrorCode()) || (state != null && ROLLED_BACK_STATES.contains(state))) {
            return Outcome.ROLLED_BACK;
        }
        if ("23".equals(kind) || DUPLICATE_CODES.contains(e.getErrorCode())) {
            return Outcome.DUPLICATE;
        }
        boolean refused = REFUSED_CODES.contains(e.getErrorCode()) || (kind != null && REFUSED_CLASSES.contains(kind));
        return refused ? Outcome.REFUSED : Outcome.UNKNOWN;
    }

    /** Whether what was refused may be accepted later, though nobody has changed anything about it. */
    static boolean mayPass(SQLException e) {
        return isLoginRefused(e)
                || isAny(
                        e,
                        sql -> PASSING_CODES.contains(sql.getErrorCode())
                                || PASSING_CLASSES.contains(
                                        Objects.requireNonNullElse(classOf(sql.getSQLState()), "")));
    }

    static boolean isLoginRefused(SQLException e) {
        return isAny(e, SqlErrors::isLoginRefusedByOne);
    }

    static boolean isWithoutQuorum(Throwable e) {
        return isAny(e, sql -> sql.getErrorCode() == NO_QUORUM && "08S01".equals(sql.getSQLState()));
    }

    static boolean isRightMissing(Throwable e) {
        return isAny(
                e,
                sql -> RIGHT_MISSING_STATE.equals(sql.getSQLState())
                        || RIGHT_MISSING_CODES.contains(sql.getErrorCode()));
    }

    private static boolean isAny(Throwable e, Predicate<SQLException> what) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && what.test(sql)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLoginRefusedByOne(SQLException e) {
        String kind = classOf(e.getSQLState());
        return LOGIN_CODES.contains(e.getErrorCode()) || (kind != null && LOGIN_CLASSES.contains(kind));
    }

    private static @Nullable String classOf(@Nullable String state) {
        return state == null || state.length() < 2 ? null : state.substring(0, 2);
    }
}
