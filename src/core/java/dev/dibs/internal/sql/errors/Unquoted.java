package dev.dibs.internal.sql.errors;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Errors without the values of rows that some databases quote in them: digests, subjects, payloads and owners must not get into a log. The
 * SQLSTATE, the code and the stack stay.
 */
public final class Unquoted {

    /** A statement with one of these parameters is about a token, so its values must not be quoted. */
    private static final Set<String> OF_TOKENS = Set.of("digest", "digests", "tokens", "subject");

    private Unquoted() {}

    private static final String REFUSED_VALUE = "a value was refused, or is there already (values are left out here)";

    /** The error of a statement with these parameters: itself if it quotes nothing, or else a copy. */
    public static SQLException error(SQLException e, List<String> parameters, SqlErrors errors) {
        boolean quotes = quotesValues(e, errors) && parameters.stream().anyMatch(OF_TOKENS::contains);
        return quotes || !isPlain(e.getCause()) ? copy(e, quotes) : e;
    }

    /** An error of data, or of a constraint. */
    private static boolean quotesValues(SQLException e, SqlErrors errors) {
        String state = e.getSQLState();
        return errors.known(e) == SqlFailure.Outcome.DUPLICATE
                || (state != null && (state.startsWith("22") || state.startsWith("23")));
    }

    /** A message of the driver's own storage may have a whole row, such as a locked one. Messages of the network have none. */
    private static boolean isPlain(@Nullable Throwable cause) {
        return Stream.iterate(cause, Objects::nonNull, Throwable::getCause)
                .allMatch(t -> t instanceof SQLException || t instanceof IOException);
    }

    private static SQLException copy(SQLException e, boolean quotes) {
        String message = quotes ? REFUSED_VALUE : e.getMessage();
        SQLException copy = new SQLException(message, e.getSQLState(), e.getErrorCode(), cause(e.getCause(), quotes));
        copy.setStackTrace(e.getStackTrace());
        return copy;
    }

    private static @Nullable Throwable cause(@Nullable Throwable cause, boolean quotes) {
        if (cause instanceof SQLException e) {
            return copy(e, quotes);
        }
        if (cause == null || isPlain(cause)) {
            return cause;
        }
        Exception shown = new Exception(cause.getClass().getName() + " (its message may quote a row, and is left out)");
        shown.setStackTrace(cause.getStackTrace());
        return shown;
    }
}
