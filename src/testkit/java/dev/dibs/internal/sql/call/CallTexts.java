package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.PreparedSql;
import java.util.List;

/** The texts that a call sends. A call whose statement names a value that the call does not offer cannot be made. */
public final class CallTexts {

    private CallTexts() {}

    public static String name(Call<?> call) {
        return call.name();
    }

    public static List<PreparedSql> of(Call<?> call) {
        return call.steps().stream().map(BoundSql::text).toList();
    }
}
