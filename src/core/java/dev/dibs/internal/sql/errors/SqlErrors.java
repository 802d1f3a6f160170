package dev.dibs.internal.sql.errors;

import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.PropertyFile;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of one database's errors for a statement's effect, by SQLSTATE and vendor code. The text of a message never decides.
 *
 * <p>The codes are in the files {@code errors.properties}: the standard one, overlaid by those of the dialect's base and of the dialect. An
 * error without a line is a refusal if it is an answer, and its connection has outlived it. What an answer undoes depends on
 * {@link Asked}.
 */
public record SqlErrors(Map<String, Set<ErrorMeaning>> byError, Map<String, String> remedies) {

    /** The library's own dialects, by name: the instances of one process share them. */
    private static final Map<String, SqlErrors> SHARED = new ConcurrentHashMap<>();

    static final String FILE = "errors.properties";
    static final String REMEDIES = "remedies.properties";

    private static final Pattern KEY =
            Pattern.compile("class\\.[0-9A-Z]{2}|state\\.[0-9A-Z]{5}|code\\.-?[1-9][0-9]{0,9}");
    /** Classes of SQLSTATEs. */
    private static final Set<String> OF_DRIVERS = Set.of("HY", "S1", "IM", "99");

    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    /**
     * The errors of a dialect.
     *
     * @throws IllegalArgumentException if a file is not in the format; the message names the line
     */
    public static SqlErrors load(DialectFolder folder) {
        return folder.isOfLibrary() ? SHARED.computeIfAbsent(folder.name(), name -> read(folder)) : read(folder);
    }

    private static SqlErrors read(DialectFolder folder) {
        Map<String, Set<ErrorMeaning>> byError = new HashMap<>();
        Map<String, String> remedies = new HashMap<>();
        for (DialectFolder layer : folder.layers()) {
            layer.properties(FILE).forEach((key, entry) -> byError.put(checked(key, entry), meanings(entry)));
            layer.properties(REMEDIES).forEach((key, entry) -> remedies.put(checked(key, entry), entry.value()));
        }
        return new SqlErrors(byError, remedies);
    }

    private static String checked(String key, PropertyFile.Entry entry) {
        if (!KEY.matcher(key).matches()) {
            throw entry.refused("'" + key + "' is no error: expected class.42, state.42501 or code.1205");
        }
        return key;
    }

    private static Set<ErrorMeaning> meanings(PropertyFile.Entry entry) {
        Set<ErrorMeaning> meanings = EnumSet.noneOf(ErrorMeaning.class);
        for (String text : COMMA.split(entry.value(), -1)) {
            meanings.add(Arrays.stream(ErrorMeaning.values())
                    .filter(meaning -> meaning.text().equals(text))
                    .findFirst()
                    .orElseThrow(() -> entry.refused("'" + text + "' is no meaning of an error; there are "
                            + Arrays.stream(ErrorMeaning.values())
                                    .map(ErrorMeaning::text)
                                    .toList())));
        }
        return meanings;
    }

    /** There was no connection. A refused password or a missing database does not pass by itself; everything else may. */
    public SqlFailure notConnected(String statement, Throwable cause) {
        EnumSet<ErrorMeaning> meanings = inAll(cause);
        boolean refused = cause instanceof SQLException && meanings.contains(ErrorMeaning.LOGIN_REFUSED);
        return new SqlFailure(statement, refused ? Outcome.REFUSED : Outcome.NOT_SENT, cause, meanings, true);
    }

    /** The connection was found dead before anything was sent. */
    public SqlFailure notSent(String statement, Throwable cause) {
        return new SqlFailure(statement, Outcome.NOT_SENT, cause, inAll(cause), false);
    }

    /** What an error answers: that decides what an answer says of the effect. */
    public enum Asked {
        /** A statement of a transaction that is rolled back without a COMMIT, or by its owner. */
        IN_TRANSACTION,
        /** One statement that is a transaction of its own. */
        STATEMENT,
        /** One text that begins and commits a transaction, and rolls it back after an error. */
        BLOCK,
        /** One of several transactions, of which an earlier one may be committed. */
        SEVERAL,
        /** A COMMIT. */
        COMMIT
    }

    /**
     * It was sent, and its answer is an error, or there is none.
     *
     * @param isAlive whether the same connection still answers; asked only if the files do not know the error
     */
    public SqlFailure sent(String statement, Throwable error, Asked sent, BooleanSupplier isAlive) {
        Asked asked = error instanceof CommitFailure && sent != Asked.SEVERAL ? Asked.COMMIT : sent;
        Throwable cause = error instanceof CommitFailure ? error.getCause() : error;
        EnumSet<ErrorMeaning> meanings = inAll(cause);
        SQLException first = first(cause);
        Outcome outcome = first == null ? Outcome.UNKNOWN : outcome(inOne(first));
        boolean isKnown = first == null || inOne(first).stream().anyMatch(ErrorMeaning::decides);
        if (!isKnown && isOfDatabase(first) && isAlive.getAsBoolean()) {
            outcome = Outcome.REFUSED;
        }
        SqlFailure failure = new SqlFailure(statement, outcome, cause, meanings, false);
        return outcome == Outcome.UNKNOWN || isUndone(asked, outcome, meanings) ? failure : failure.partlyCommitted();
    }

    /** Whether an answer says that nothing was done. A known refusal in a block is not that of its COMMIT. */
    private static boolean isUndone(Asked asked, Outcome outcome, Set<ErrorMeaning> meanings) {
        boolean undoesCommit = outcome != Outcome.REFUSED || meanings.contains(ErrorMeaning.CONSTRAINT);
        return switch (asked) {
            case IN_TRANSACTION -> true;
            case STATEMENT -> !meanings.contains(ErrorMeaning.KEEPS_PART);
            case BLOCK ->
                !meanings.contains(ErrorMeaning.KEEPS_PART)
                        && (undoesCommit || meanings.contains(ErrorMeaning.REFUSED));
            case SEVERAL -> false;
            case COMMIT -> undoesCommit;
        };
    }

    /** A driver's own error has neither a code nor a state, or a state of the interface between program and driver. */
    private static boolean isOfDatabase(SQLException e) {
        return e.getErrorCode() != 0 || !OF_DRIVERS.contains(Objects.requireNonNull(classOf(e.getSQLState())));
    }

    /** Whether the files know nothing of the effect: the error may have any, also on the transaction. */
    public boolean saysNothing(SQLException e) {
        return known(e) == Outcome.UNKNOWN;
    }

    /** Whether the database undid a transaction of the user and would accept it again, however deep that error is among the causes. */
    public boolean isRolledBack(Throwable error) {
        return chain(error)
                .findFirst()
                .filter(e -> known(e) == Outcome.ROLLED_BACK || inAll(e).contains(ErrorMeaning.STALE_PLAN))
                .isPresent();
    }

    /** The errors of the database among an error and its causes. */
    private static Stream<SQLException> chain(Throwable error) {
        return Stream.iterate(error, Objects::nonNull, Throwable::getCause)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast);
    }

    /**
     * Whether an error may have ended the transaction, and not only its statement. One error is not like the other: a lock timeout ends it by
     * a setting of the server, and a cancel only on SQLite. After a lost connection some drivers go on with another one.
     */
    public boolean mayEndTransaction(SQLException error) {
        for (Throwable t : error) {
            if (t instanceof SQLException e) {
                Set<ErrorMeaning> meanings = inOne(e);
                if (meanings.contains(ErrorMeaning.ROLLED_BACK)
                        || meanings.contains(ErrorMeaning.MAY_PASS)
                        || meanings.contains(ErrorMeaning.CONNECTION_LOST)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The remedy for an error, or for one of its causes; null if the files have none. */
    public @Nullable String remedy(Throwable error) {
        return chain(error)
                .flatMap(e -> Stream.of("state." + e.getSQLState(), "code." + e.getErrorCode()))
                .map(remedies::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The same before the first connection, when the dialect is unknown. */
    public static @Nullable String remedyOfAnyDialect(Throwable error) {
        return Products.dialects().stream()
                .map(name -> load(DialectFolder.named(name)).remedy(error))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The outcome that the files know; else unknown. */
    Outcome known(SQLException e) {
        SQLException first = first(e);
        return first == null ? Outcome.UNKNOWN : outcome(inOne(first));
    }

    /** The first error that says something decides: the errors below a lost connection do not answer this statement. */
    private static @Nullable SQLException first(Throwable error) {
        return error instanceof SQLException
                ? chain(error)
                        .filter(sql -> sql.getErrorCode() != 0 || classOf(sql.getSQLState()) != null)
                        .findFirst()
                        .orElse(null)
                : null;
    }

    private static Outcome outcome(Set<ErrorMeaning> meanings) {
        return meanings.stream()
                .findFirst()
                .map(first -> switch (first) {
                    case ROLLED_BACK -> Outcome.ROLLED_BACK;
                    case DUPLICATE -> Outcome.DUPLICATE;
                    case CONSTRAINT, REFUSED -> Outcome.REFUSED;
                    default -> Outcome.UNKNOWN;
                })
                .orElse(Outcome.UNKNOWN);
    }

    /** The meanings of an error and of all its causes. */
    private EnumSet<ErrorMeaning> inAll(Throwable error) {
        EnumSet<ErrorMeaning> meanings = EnumSet.noneOf(ErrorMeaning.class);
        chain(error).map(this::inOne).forEach(meanings::addAll);
        return meanings;
    }

    private EnumSet<ErrorMeaning> inOne(SQLException e) {
        EnumSet<ErrorMeaning> meanings = EnumSet.noneOf(ErrorMeaning.class);
        meanings.addAll(byError.getOrDefault("class." + classOf(e.getSQLState()), Set.of()));
        meanings.addAll(byError.getOrDefault("state." + e.getSQLState(), Set.of()));
        meanings.addAll(byError.getOrDefault("code." + e.getErrorCode(), Set.of()));
        return meanings;
    }

    private static @Nullable String classOf(@Nullable String state) {
        return state == null || state.length() < 2 ? null : state.substring(0, 2);
    }
}
