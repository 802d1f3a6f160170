package dev.dibs.statements;

import dev.dibs.internal.sql.files.PreparedSql;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** The notation of a driver for the parameters of a statement. */
public enum Placeholders {
    /** {@code :name}, as in the statement files. */
    NAMED,
    /** {@code $1}, one number for each name. */
    DOLLAR,
    /** {@code ?}, one for each place. */
    QUESTION,
    /** {@code @p_name}. It has a prefix, since some texts have variables of their own. */
    AT,
    /** {@code %(name)s}, with each other percent sign doubled. */
    PYFORMAT;

    String in(PreparedSql text) {
        List<String> markers = new ArrayList<>();
        List<String> names = List.copyOf(new LinkedHashSet<>(text.parameters()));
        for (String name : text.parameters()) {
            markers.add(
                    switch (this) {
                        case NAMED -> ":" + name;
                        case DOLLAR -> "$" + (names.indexOf(name) + 1);
                        case QUESTION -> "?";
                        case AT -> "@p_" + name;
                        case PYFORMAT -> "%(" + name + ")s";
                    });
        }
        PreparedSql escaped = this == PYFORMAT
                ? new PreparedSql(text.jdbc().replace("%", "%%"), text.parameters(), text.when(), text.key())
                : text;
        return escaped.withMarkers(markers);
    }
}
