package dev.dibs.statements;

import dev.dibs.internal.claims.ClaimOptions;
import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.claims.store.ClaimStatements;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The statements of claims on one table as they are sent, for people and for programs in other languages. It needs no database, so the
 * caller gives the types of the key.
 *
 * <p>The number of rows to claim is a parameter here. Java writes it into the text where the dialect has {@code {n}}.
 */
public final class ClaimTexts {

    private static final String FILE = "claims";
    private static final String IF_NULL =
            "Where a column of the key may be NULL, the condition must pass such rows over: no statement finds them again.";

    private static final Pattern TYPE = Pattern.compile(
            "(?<name>[a-z][a-z0-9_]*(?: [a-z]+)*)(?: ?\\((?<size>[0-9]{1,9})(?:, ?(?<scale>[0-9]{1,9}))?\\))?");

    private final Function<Statements, ClaimTable> table;
    private final boolean ends;
    private final CompletionEffect.Kind effect;

    private ClaimTexts(Function<Statements, ClaimTable> table, boolean ends, CompletionEffect.Kind effect) {
        this.table = table;
        this.ends = ends;
        this.effect = effect;
    }

    /**
     * For claims that are stored in the table itself.
     *
     * @param table its name, plain or quoted, with its schema if needed
     * @param keys the columns of the key, each with its type after a colon, as {@code code:varchar(40)}; {@code bigint} without one
     * @param token the column for a claim's token
     * @param until the column for a claim's end; null if a claim lasts until it is released
     * @param where which rows are to be processed; null for all
     * @param orderBy in which order; null for that of the key
     * @param set what completing a row sets; null if nothing
     * @param deletes whether completing a row deletes it
     * @throws IllegalArgumentException if one of these is invalid
     */
    public static ClaimTexts of(
            String table,
            List<String> keys,
            String token,
            @Nullable String until,
            @Nullable String where,
            @Nullable String orderBy,
            @Nullable String set,
            boolean deletes) {
        CompletionEffect effect = deletes
                ? CompletionEffect.DELETE
                : set == null ? CompletionEffect.NONE : CompletionEffect.set(ClaimSql.check("completeSet", set));
        List<ColumnInfo> columns = keys.stream().map(ClaimTexts::column).toList();
        ClaimOptions options = new ClaimOptions(table, Duration.ZERO);
        options.keys = columns.stream().map(ColumnInfo::name).toList();
        options.token = token;
        options.until = until;
        options.where = where == null ? "" : ClaimSql.check("where", where);
        options.orderBy = orderBy == null ? "" : ClaimSql.check("orderBy", orderBy);
        options.effect = effect;
        return new ClaimTexts(dialect -> describe(options, columns, dialect), until != null, effect.kind());
    }

    private static ClaimTable describe(ClaimOptions options, List<ColumnInfo> keys, Statements dialect) {
        String quote = dialect.fragment("quote");
        List<String> keyNames =
                keys.stream().map(key -> SqlName.column(key.name(), quote)).toList();
        keys.forEach(key -> requireLength(key, dialect));
        return ClaimTable.of(
                SqlName.table(options.table, quote), keyNames, keys, dialect, options.texts(keyNames, quote));
    }

    private static void requireLength(ColumnInfo key, Statements dialect) {
        String type = dialect.fragment("key_type", dialect.keyTypes().kindOf(key));
        if (key.size() == 0 && (type.contains("{size}") || type.contains("{hex_size}"))) {
            throw new IllegalArgumentException("the type of the key column " + key.name()
                    + " needs a length here: write " + key.name() + ":" + key.type() + "(40)");
        }
    }

    /**
     * With open names: {@code {table}}, {@code {key}} (one column), {@code {type}} (its type), {@code {token}}, {@code {until}}, {@code
     * {where}}, {@code {order}} and {@code {effect}}. A client fills them in when it knows the table.
     *
     * @param kind the kind of the key
     */
    public static ClaimTexts open(KeyKind kind, boolean deletes) {
        List<String> key = List.of("{key}");
        ColumnInfo column = new ColumnInfo("{key}", Types.OTHER, "{type}", 0, 0, false);
        Map<String, String> names = new HashMap<>();
        List.of("token", "until", "where", "order", "effect").forEach(name -> names.put(name, "{" + name + "}"));
        return new ClaimTexts(
                dialect -> ClaimTable.of("{table}", key, List.of(column), List.of(kind), dialect, names),
                true,
                deletes ? CompletionEffect.Kind.DELETE : CompletionEffect.Kind.SET);
    }

    private static ColumnInfo column(String key) {
        int colon = key.lastIndexOf(':');
        String name = colon < 0 ? key : key.substring(0, colon);
        String type = colon < 0 ? "bigint" : key.substring(colon + 1).strip().toLowerCase(Locale.ROOT);
        Matcher parts = TYPE.matcher(type);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "'" + type + "' is not a type; write the key as id, id:bigint or code:varchar(40)");
        }
        return new ColumnInfo(
                name,
                Types.OTHER,
                parts.group("name"),
                number(parts.group("size")),
                number(parts.group("scale")),
                false);
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /**
     * The statements, each under the name of its operation.
     *
     * @param prefix the prefix of the names of Dibs' tables
     * @param style how the parameters are written
     */
    public List<StatementText> in(DialectFolder folder, String prefix, Placeholders style) {
        Statements dialect = Statements.load(folder, prefix);
        ClaimTable described = table.apply(dialect);
        ClaimStatements forms = new ClaimStatements(dialect, described, ends, effect);
        String binary = described.kinds().contains(KeyKind.BINARY)
                ? "\nIn :keys bytes are hexadecimal digits, as "
                        + dialect.fragment("key_sent", KeyKind.BINARY).replace("#", "0aff") + "."
                : "";
        Map<String, String> contracts = folder.contracts(List.of(FILE));
        List<StatementText> texts = new ArrayList<>();
        Printer print = (name, what, form, statement) -> texts.add(StatementTexts.of(
                name,
                (what + (hasKeys(form, statement) ? binary : "") + "\n" + contracts.getOrDefault(statement, ""))
                        .strip(),
                form,
                statement,
                style));
        print.add("claim_rows", IF_NULL, forms.claim.bound(), "claim_rows");
        print.add(
                "claim_rows_again",
                "The same for a token that the caller chose: nothing, if it has rows already.",
                forms.claimAgain.bound(),
                "claim_rows");
        print.add("find_rows", "", forms.common, "find_rows");
        print.add("still_rows", "", orElse(forms.of(Change.RENEW), forms.common), "still_rows");
        if (ends) {
            print.add("renew_rows", "Sets the end to :lease from now.", form(forms, Change.RENEW), "change_rows");
        }
        print.add("release_rows", "Gives rows back.", form(forms, Change.RELEASE), "change_rows");
        if (ends) {
            print.add(
                    "postpone_rows",
                    "Gives rows back, to be claimed when :delay is over.",
                    form(forms, Change.POSTPONE),
                    "change_rows");
            print.add(
                    "dead_letter_rows",
                    "Sets rows aside, so that they are not claimed again.",
                    form(forms, Change.DEAD_LETTER),
                    "change_rows");
        }
        print.add(forms.completes, "", forms.common, forms.completes);
        print.add("release_token", "", forms.common, "release_token");
        print.add("count_rows", "", forms.common, "count_rows");
        print.add("left_rows", "", forms.common, "left_rows");
        print.add("check_condition", "", forms.common, "check_condition");
        return List.copyOf(texts);
    }

    private static boolean hasKeys(Statements form, String statement) {
        return form.steps(statement).stream().anyMatch(step -> step.parameters().contains("keys"));
    }

    /** Adds a statement under the name of its operation. */
    private interface Printer {
        void add(String name, String what, Statements form, String statement);
    }

    private static Statements form(ClaimStatements forms, Change change) {
        return Objects.requireNonNull(forms.of(change));
    }

    private static Statements orElse(@Nullable Statements form, Statements other) {
        return form == null ? other : form;
    }
}
