package dev.dibs.advice;

import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.time.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The user's {@code orderBy} as a list of columns. */
record ClaimOrder(List<Term> terms) {

    private static final Pattern TERM =
            Pattern.compile("\\Q" + ClaimColumns.COLUMN + "\\E(?<rest>(?: ASC| DESC)?(?: NULLS (?:FIRST|LAST))?)");

    /**
     * A column.
     *
     * @param text its text in the order, which can stand in an index, too
     */
    record Term(String column, String text, boolean descending) {}

    /** Empty if it is more than a list of columns. */
    static Optional<ClaimOrder> of(String order, ClaimColumns columns) {
        List<Term> terms = new ArrayList<>();
        for (String text : ClaimSql.terms(order)) {
            var shape = TERM.matcher(columns.shape(text));
            if (!shape.matches()) {
                return Optional.empty();
            }
            Map.Entry<String, String> column =
                    columns.in(text).entrySet().iterator().next();
            String rest = shape.group("rest");
            terms.add(new Term(column.getKey(), column.getValue() + rest, rest.contains("DESC")));
        }
        return Optional.of(new ClaimOrder(List.copyOf(terms)));
    }
}
