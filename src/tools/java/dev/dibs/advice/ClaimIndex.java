package dev.dibs.advice;

import dev.dibs.internal.sql.catalog.IndexInfo;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The index by which a claim finds the first open rows in order, so that its cost does not grow with the rows that are finished.
 *
 * <ol>
 *   <li>Where the database has indexes of some rows only: of the open rows, in order.
 *   <li>Else: the columns of which the condition lets one value pass, then those of the order.
 * </ol>
 */
final class ClaimIndex {

    /** Names may have 63 bytes on PostgreSQL, and something is added to the table's. */
    private static final int LONGEST_NAME = 50;

    private final Statements statements;
    private final ClaimColumns columns;
    private final ClaimCondition where;
    private final ClaimOrder order;
    private final Set<String> mayFilter;

    /**
     * For one table.
     *
     * @param mayFilter the columns that an index of some rows may speak of without missing a row that can be claimed
     */
    ClaimIndex(
            Statements statements,
            ClaimColumns columns,
            ClaimCondition where,
            ClaimOrder order,
            Set<String> mayFilter) {
        this.statements = statements;
        this.columns = columns;
        this.where = where;
        this.order = order;
        this.mayFilter = mayFilter;
    }

    /**
     * The statement that makes it.
     *
     * @param table as it stands in a statement
     * @param taken the names of the indexes that there are
     */
    String ddl(String table, Set<String> taken) {
        String filter = filter();
        String form = statements.fragment(filter.isEmpty() ? "claim_index" : "partial_claim_index");
        return fill(
                form,
                Map.of(
                        "index",
                        name(table, "_open", columns.quote(), taken),
                        "table",
                        table,
                        "columns",
                        String.join(", ", filter.isEmpty() ? plainColumns() : orderColumns(Set.of())),
                        "filter",
                        filter));
    }

    /** The statement that makes an index for the rows of a token. */
    static String tokenDdl(Statements statements, String table, String token, String quote, Set<String> taken) {
        boolean partial = statements.features().indexFilter() != IndexFilter.NONE;
        return fill(
                statements.fragment(partial ? "partial_claim_index" : "claim_index"),
                Map.of(
                        "index",
                        name(table, "_token", quote, taken),
                        "table",
                        table,
                        "columns",
                        token,
                        "filter",
                        token + " IS NOT NULL"));
    }

    private static String fill(String form, Map<String, String> texts) {
        String filled = form;
        for (Map.Entry<String, String> text : texts.entrySet()) {
            filled = filled.replace("{" + text.getKey() + "}", text.getValue());
        }
        return filled;
    }

    private static String name(String table, String ending, String quote, Set<String> taken) {
        List<String> parts = SqlName.inCatalog(table).stream()
                .map(part -> part.exact() ? quote + part.text() : part.text())
                .toList();
        String last = parts.get(parts.size() - 1);
        boolean quoted = last.startsWith(quote);
        String bare = quoted ? last.substring(quote.length()) : last;
        String first = bare.substring(0, Math.min(bare.length(), LONGEST_NAME)) + ending;
        String name = IntStream.iterate(1, i -> i + 1)
                .mapToObj(i -> i == 1 ? first : first + i)
                .filter(candidate -> taken.stream().noneMatch(candidate::equalsIgnoreCase))
                .findFirst()
                .orElseThrow();
        return quoted ? quote + name.replace(quote, quote + quote) + quote : name;
    }

    /** What an index may be limited to in this database, of all that must hold. */
    private String filter() {
        IndexFilter allowed = statements.features().indexFilter();
        return where.parts().stream()
                .filter(part -> !part.columns().isEmpty() && !part.hasAlias())
                .filter(part -> switch (allowed) {
                    case FIXED -> part.isFixed();
                    case COMPARISONS -> part.isComparison();
                    case NONE -> false;
                })
                .map(part -> part.isComparison() || part.isExact() ? part.text() : "(" + part.text() + ")")
                .collect(Collectors.joining(" AND "));
    }

    /** Columns with many values come behind those of the order, which else had to be sorted. */
    private List<String> plainColumns() {
        Map<String, String> exact = where.exact();
        Map<String, String> others = new LinkedHashMap<>(where.columns());
        others.keySet().removeAll(exact.keySet());
        order.terms().forEach(term -> others.remove(term.column()));
        List<String> all = new ArrayList<>(exact.values());
        if (exact.isEmpty()) {
            all.addAll(others.values());
        }
        all.addAll(orderColumns(exact.keySet()));
        if (!exact.isEmpty()) {
            all.addAll(others.values());
        }
        return all;
    }

    private List<String> orderColumns(Set<String> without) {
        return order.terms().stream()
                .filter(term -> !without.contains(term.column()))
                .map(ClaimOrder.Term::text)
                .toList();
    }

    /** Whether an index that is there does as well. */
    boolean fits(IndexInfo index) {
        Set<String> filtered =
                index.filter() == null ? Set.of() : columns.in(index.filter()).keySet();
        boolean missesRows = index.filter() != null && (filtered.isEmpty() || !mayFilter.containsAll(filtered));
        if (missesRows) {
            return false;
        }
        Set<String> needed = needed();
        needed.removeAll(filtered);
        List<ClaimOrder.Term> ordered = order.terms().stream()
                .filter(term -> !where.exact().containsKey(term.column()))
                .toList();
        int at = 0;
        while (at < index.columns().size() && leads(index.columns().get(at), ordered)) {
            needed.remove(index.columns().get(at).name());
            at++;
        }
        return needed.isEmpty()
                && isOrdered(index.columns().subList(at, index.columns().size()), ordered);
    }

    /** Without one of these an index leads through the finished rows. */
    private Set<String> needed() {
        Set<String> needed = new HashSet<>(where.exact().keySet());
        if (needed.isEmpty()) {
            needed.addAll(where.columns().keySet());
            order.terms().forEach(term -> needed.remove(term.column()));
        }
        return needed;
    }

    private boolean leads(IndexInfo.Column column, List<ClaimOrder.Term> ordered) {
        boolean begins = !ordered.isEmpty() && ordered.get(0).column().equals(column.name());
        return !begins && where.columns().containsKey(column.name());
    }

    /** An index can be read from either end. */
    private static boolean isOrdered(List<IndexInfo.Column> rest, List<ClaimOrder.Term> ordered) {
        if (rest.size() < ordered.size()) {
            return false;
        }
        Set<Boolean> turned = new HashSet<>();
        for (int i = 0; i < ordered.size(); i++) {
            if (!rest.get(i).name().equals(ordered.get(i).column())) {
                return false;
            }
            turned.add(rest.get(i).descending() != ordered.get(i).descending());
        }
        return turned.size() <= 1;
    }

    @Override
    public String toString() {
        return ("ClaimIndex" + plainColumns()).toLowerCase(Locale.ROOT);
    }
}
