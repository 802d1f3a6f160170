package dev.dibs.advice;

import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.catalog.IndexInfo;
import dev.dibs.internal.sql.catalog.TableInfo;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Says which indexes claims on a user's table need, with the statements that create them. */
public final class IndexAdvice {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * The claims, as a program describes them.
     *
     * @param token null if the claims are kept in a table of Dibs
     * @param until null if claims do not end by time
     * @param where empty for all rows
     * @param order empty for that of the key
     */
    public record Claimed(
            String table,
            List<String> keys,
            @Nullable String token,
            @Nullable String until,
            String where,
            String order) {

        /** A claim that stands until released has to find rows without a token. */
        boolean isMarkedOnly() {
            return token != null && until == null;
        }
    }

    private final Statements statements;
    private final Claimed claimed;
    private final String table;
    private final ClaimColumns columns;

    private IndexAdvice(Statements statements, Claimed claimed, String table, List<String> columns) {
        this.statements = statements;
        this.claimed = claimed;
        this.table = table;
        this.columns = new ClaimColumns(columns, statements.fragment("quote"));
    }

    /**
     * The findings of {@link dev.dibs.claims.RowClaims#doctor}, with the statements that create the indexes. They stay as they are if the
     * catalog has no such table, as for a view.
     *
     * @param statements of the database's dialect
     */
    public static List<Finding> complete(
            List<Finding> findings, DataSource dataSource, Statements statements, Claimed claimed) throws SqlFailure {
        Database database = new Database(Connections.forCallers(dataSource, Runnable::run, statements), statements);
        String table = SqlName.table(claimed.table(), statements.fragment("quote"));
        Optional<TableInfo> found = database.table(table, TIMEOUT);
        if (found.isEmpty()) {
            return findings;
        }
        Statements about = statements.only("columns_of_table", Map.of("table", table));
        List<String> columns = database.columns(about, "columns_of_table", TIMEOUT).stream()
                .map(ColumnInfo::name)
                .toList();
        IndexAdvice advice = new IndexAdvice(statements, claimed, table, columns);
        return findings.stream()
                .map(finding -> advice.complete(finding, found.get()))
                .toList();
    }

    private Finding complete(Finding finding, TableInfo found) {
        return switch (finding.subject()) {
            case "claims index" -> aboutIndex(found);
            case "claims token" -> finding.level() == Level.OK ? finding : withToken(finding, found);
            default -> finding;
        };
    }

    private Finding withToken(Finding finding, TableInfo found) {
        String ddl = ClaimIndex.tokenDdl(statements, table, written(claimed.token()), columns.quote(), names(found));
        return new Finding(
                finding.level(),
                finding.subject(),
                finding.message(),
                finding.level() == Level.WARNING ? ddl : "If you call them often: " + ddl);
    }

    private Finding aboutIndex(TableInfo found) {
        Optional<ClaimIndex> wanted = wanted();
        if (wanted.isEmpty()) {
            return new Finding(
                    Level.NOTE,
                    "claims index",
                    "cannot tell which index claims need: the order is no list of columns, or the condition looks at other"
                            + " tables",
                    "Look at the plan of the claim statement");
        }
        ClaimIndex index = wanted.get();
        return found.indexes().stream()
                .map(there -> withImplied(there, found.primaryKey()))
                .filter(index::fits)
                .findFirst()
                .map(there ->
                        new Finding(Level.OK, "claims index", there.name() + " leads to the open rows, in order", ""))
                .orElseGet(() -> new Finding(
                        Level.WARNING,
                        "claims index",
                        "none leads to the open rows in order: the more rows there are, the longer a claim takes",
                        index.ddl(table, names(found))));
    }

    private Optional<ClaimIndex> wanted() {
        boolean everyRow = claimed.where().isEmpty() && claimed.isMarkedOnly();
        ClaimCondition condition =
                ClaimCondition.of(everyRow ? written(claimed.token()) + " IS NULL" : claimed.where(), columns);
        if (condition.isOpaque()) {
            return Optional.empty();
        }
        Set<String> mayFilter = new HashSet<>(condition.columns().keySet());
        if (claimed.isMarkedOnly()) {
            columns.named(String.valueOf(claimed.token())).ifPresent(mayFilter::add);
        }
        String order = claimed.order().isEmpty()
                ? claimed.keys().stream().map(this::written).collect(Collectors.joining(", "))
                : claimed.order();
        return ClaimOrder.of(order, columns)
                .map(ordered -> new ClaimIndex(statements, columns, condition, ordered, mayFilter));
    }

    /** A column's name as it stands in a statement. */
    private String written(@Nullable String column) {
        return SqlName.column(String.valueOf(column), columns.quote());
    }

    /** Some databases end every index with the primary key. */
    private IndexInfo withImplied(IndexInfo index, List<String> primaryKey) {
        if (!statements.features().indexesEndWithPrimaryKey()) {
            return index;
        }
        List<IndexInfo.Column> all = new ArrayList<>(index.columns());
        primaryKey.stream()
                .filter(column -> !index.columnNames().contains(column))
                .forEach(column -> all.add(new IndexInfo.Column(column, false)));
        return new IndexInfo(index.name(), index.unique(), all, index.filter());
    }

    private static Set<String> names(TableInfo found) {
        return found.indexes().stream().map(IndexInfo::name).collect(Collectors.toSet());
    }
}
