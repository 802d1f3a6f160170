package dev.dibs.internal.sql.files;

import dev.dibs.internal.values.Arguments;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All statements of one dialect, ready to be prepared: the standard files, overlaid by name with those of the dialect's base, if it has
 * one, and with its own.
 *
 * <p>The files are read once, when the dialect is loaded; a statement is put together and parsed when it is first asked for, as a process
 * sends few of them. Then a call costs one map look-up. Threads and instances can share it.
 */
public record Statements(
        Map<String, ExpandedSql> statements,
        Map<String, Map<String, List<StatementFile.Step>>> templates,
        Map<String, String> fragments,
        SchemaTables schema,
        DialectFolder dialect,
        Features features,
        KeyTypes keyTypes,
        Map<String, Slotted> slotted) {

    /** The stem of the file that is read only for a database whose releases notify. */
    private static final String WAKE = "wake";

    /** The stems of the files, the same in {@code sql/} and in every dialect's folder. */
    static final List<String> FILES = List.of(
            "dialect",
            "transaction",
            "schema",
            "locks",
            "fair",
            "read_write",
            "once",
            "semaphores",
            "runs",
            "tokens",
            WAKE,
            "doctor");

    /** The stem of the file whose statements exist once for each kind of lease. */
    static final String LEASES = "leases";

    /** The stems of the files with statements about what only the caller knows: a user's table, one of ours, or a number. */
    static final List<String> TEMPLATES = List.of("claims", "side", "range", "per_key", "rights", "tables", "session");

    /** The library's own dialects, by name and prefix: the instances of one process share them. */
    static final Map<List<String>, SoftReference<Statements>> SHARED = new ConcurrentHashMap<>();

    record Slotted(List<String> names, List<BoundSql> texts) {}

    /**
     * Reads a dialect.
     *
     * @param folder the folder of its files
     * @param prefix the prefix of every table name: {@code dibs_}, {@code myschema.dibs_} or {@code "My schema".dibs_}
     * @throws IllegalArgumentException if the prefix is invalid, a file is not in the format, or it uses an undefined fragment
     */
    public static Statements load(DialectFolder folder, String prefix) {
        String given = Arguments.required("prefix", prefix);
        if (folder.isOfLibrary()) {
            return shared(folder, given);
        }
        Statements statements = read(folder, given);
        statements.names().forEach(statements::steps);
        return statements;
    }

    private static Statements shared(DialectFolder folder, String prefix) {
        List<String> key = List.of(folder.name(), prefix);
        SoftReference<Statements> known = SHARED.get(key);
        Statements statements = known == null ? null : known.get();
        if (statements == null) {
            statements = read(folder, prefix);
            SHARED.put(key, new SoftReference<>(statements));
        }
        return statements;
    }

    private static Statements read(DialectFolder folder, String prefix) {
        List<DialectFolder> layers = folder.layers();
        Features features = Features.load(folder);
        Declared declared = new Declared(new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        Map<String, String> fragments = declared.fragments();
        fragments.put(DialectFolder.BASE, "");
        fragments.put("nothing", "");
        Map<String, List<StatementFile.Step>> texts = read(files(features), layers, declared);
        Map<String, List<StatementFile.Step>> leases = read(List.of(LEASES), layers, declared);
        Map<String, Map<String, List<StatementFile.Step>>> templates = new LinkedHashMap<>();
        for (String file : TEMPLATES) {
            templates.put(file, read(List.of(file), layers, declared));
        }
        String sql = TablePrefix.inStatement(prefix, fragments.getOrDefault("quote", "\""));
        fragments.put("prefix", sql);
        fragments.put("prefix_text", SchemaTables.inLiteral(sql));
        SchemaTables schema = schema(texts, declared);
        fragments.put("table_names", schema.names());
        fragments.put(
                "each_table",
                schema.question(fragments.getOrDefault("columns_there", ""), fragments.getOrDefault("folded", "'#'")));
        Map<String, ExpandedSql> statements = lazy(texts, fragments, Map.of());
        for (LeaseSql kind : LeaseSql.all(fragments, features)) {
            lazy(kind.named(leases), kind.fragments(), Map.of()).forEach(statements::putIfAbsent);
        }
        return new Statements(
                statements,
                templates,
                fragments,
                schema,
                folder,
                features,
                KeyTypes.load(folder),
                new ConcurrentHashMap<>());
    }

    /** Without those that a database of this kind cannot run. */
    private static List<String> files(Features features) {
        return FILES.stream()
                .filter(file -> features.notifies() || !file.equals(WAKE))
                .toList();
    }

    private static Map<String, List<StatementFile.Step>> read(
            List<String> files, List<DialectFolder> layers, Declared declared) {
        Map<String, List<StatementFile.Step>> texts = new LinkedHashMap<>();
        for (DialectFolder layer : layers) {
            Set<String> standard = Set.copyOf(texts.keySet());
            for (String file : files) {
                StatementFile read = layer.read(file);
                texts.putAll(read.statements);
                declared.fragments().putAll(read.fragments);
                declared.capabilities().putAll(read.capabilities);
                declared.needs().putAll(read.needs);
            }
            if (!layer.equals(DialectFolder.STANDARD)) {
                requireKnown(layer, texts.keySet(), standard);
            }
        }
        return texts;
    }

    /** The declarations of the files besides the statements: see {@link StatementFile}. */
    private record Declared(
            Map<String, String> fragments, Map<String, String> capabilities, Map<String, String> needs) {

        String capability(String table) {
            String capability = capabilities.get(table);
            if (capability == null) {
                throw new IllegalArgumentException("the table of '" + table + "' belongs to no capability");
            }
            return capability;
        }
    }

    private static SchemaTables schema(Map<String, List<StatementFile.Step>> texts, Declared declared) {
        List<TableSql> tables = new ArrayList<>();
        for (String name : texts.keySet()) {
            if (TableSql.isOne(name)) {
                String raw = texts.get(name).get(0).text();
                String text = ExpandedSql.expand(name, raw, declared.fragments(), Map.of());
                tables.add(TableSql.of(name, declared.capability(name), raw, text));
            }
        }
        return new SchemaTables(tables, declared.needs());
    }

    /** The text of a statement, for a person to read or run. */
    public String text(String name) {
        return steps(name).get(0).jdbc();
    }

    /** The statements of {@code claims} about one user's table. */
    public Statements about(Map<String, String> choices, Map<String, String> texts) {
        return about("claims", choices, texts);
    }

    /**
     * The statements of a file about one user's table.
     *
     * @param file its stem
     * @param choices fragments that are an alias of one of the files' fragments here, or a text with fragments
     * @param texts the user's names of tables and columns, and conditions; fragments in them are not expanded
     * @throws IllegalArgumentException if a text of the user is not complete in itself
     */
    public Statements about(String file, Map<String, String> choices, Map<String, String> texts) {
        Map<String, String> known = new LinkedHashMap<>(fragments);
        choices.forEach((name, choice) -> known.put(name, choice.contains("{") ? choice : "{" + choice + "}"));
        return filledIn(templates.get(file), known, Map.copyOf(texts));
    }

    /**
     * A question about one table of ours in the catalog.
     *
     * @param fragment the question, with {table}, {table_name} and {table_schema}
     */
    public Statements inCatalog(String fragment, TableSql table) {
        String question =
                SchemaTables.question(fragment(fragment), fragments.getOrDefault("folded", "'#'"), table.name());
        return about("tables", Map.of(fragment, question + "{nothing}"), Map.of());
    }

    /** One statement about a user's table of which only the given texts are known. */
    public Statements only(String name, Map<String, String> texts) {
        Map<String, List<StatementFile.Step>> one = new LinkedHashMap<>();
        templates.values().stream()
                .filter(file -> file.containsKey(name))
                .forEach(file -> one.put(name, file.get(name)));
        return filledIn(one, fragments, Map.copyOf(texts));
    }

    private Statements filledIn(
            Map<String, List<StatementFile.Step>> some, Map<String, String> known, Map<String, String> texts) {
        return new Statements(
                lazy(some, known, texts),
                templates,
                known,
                schema,
                dialect,
                features,
                keyTypes,
                new ConcurrentHashMap<>());
    }

    private static Map<String, ExpandedSql> lazy(
            Map<String, List<StatementFile.Step>> templates, Map<String, String> fragments, Map<String, String> texts) {
        Map<String, ExpandedSql> statements = new LinkedHashMap<>();
        templates.forEach((name, steps) -> statements.put(name, new ExpandedSql(name, steps, fragments, texts)));
        return statements;
    }

    /** With a misspelt overlay, the standard statement would silently stay in force. */
    private static void requireKnown(DialectFolder folder, Set<String> names, Set<String> standard) {
        for (String name : names) {
            if (!standard.contains(name)) {
                throw new IllegalArgumentException(
                        folder + ": there is no standard statement '" + name + "' to overlay");
            }
        }
    }

    /** The name of a statement about leases for one kind of them: {@code renew_locks} for {@code renew_leases}. */
    public static String nameFor(String kind, String template) {
        return template.replace("_lease", "_" + kind);
    }

    /** The names of all statements, in the order of the standard files. */
    public Set<String> names() {
        return statements.keySet();
    }

    /** The contracts of all statements but those about a user's table. They are for people, so they are read when asked for. */
    public Map<String, String> contracts() {
        Map<String, String> contracts = dialect.contracts(
                Stream.concat(files(features).stream(), Stream.of(LEASES)).toList());
        for (LeaseSql kind : LeaseSql.all(fragments, features)) {
            kind.named(contracts).forEach((name, contract) -> contracts.putIfAbsent(name, kind.named(contract)));
        }
        return contracts;
    }

    public String fragment(String name) {
        String text = fragments.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no fragment '" + name + "'");
        }
        return text;
    }

    public boolean hasFragment(String name) {
        return fragments.containsKey(name);
    }

    /** Whether a statement about a user's table uses this text, or this fragment. */
    public boolean uses(String statement, String text) {
        return templates.values().stream()
                .flatMap(file -> file.getOrDefault(statement, List.of()).stream())
                .anyMatch(step -> step.text().contains("{" + text + "}"));
    }

    /** The text of {@code name_kind}, or of {@code name} if the dialect has none for this kind. */
    public String fragment(String name, KeyKind kind) {
        String text = fragments.get(name + "_" + kind.suffix());
        return text == null ? fragment(name) : text;
    }

    /** The texts that are sent for a statement, in order. */
    public List<PreparedSql> steps(String name) {
        ExpandedSql text = statements.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no statement '" + name + "'");
        }
        return text.steps();
    }

    /** The same, with the slots of these names for the values. */
    public List<BoundSql> steps(String name, List<String> names) {
        Slotted known = slotted.get(name);
        if (known == null || !known.names().equals(names)) {
            known = new Slotted(
                    List.copyOf(names),
                    steps(name).stream()
                            .map(text -> BoundSql.of(name, text, names, features, schema))
                            .toList());
            slotted.put(name, known);
        }
        return known.texts();
    }

    /** The capabilities whose tables a statement uses, in whichever file it stands. */
    public Set<String> capabilitiesOf(String statement) {
        StringBuilder text = new StringBuilder();
        if (statements.containsKey(statement)) {
            steps(statement).forEach(step -> text.append(step.jdbc()).append('\n'));
        }
        for (Map<String, List<StatementFile.Step>> file : templates.values()) {
            file.getOrDefault(statement, List.of())
                    .forEach(step -> text.append(ExpandedSql.expand(
                                    statement, step.text(), name -> !fragments.containsKey(name), fragments, Set.of()))
                            .append('\n'));
        }
        return schema.namedIn(text.toString());
    }

    /** The statements that create the tables of these capabilities and of those that they need, or all; for a person to read or run. */
    public String ddl(Collection<String> capabilities) {
        return schema.of(capabilities).stream()
                .map(table -> text(table.createStatement()) + ";\n")
                .collect(Collectors.joining("\n"));
    }
}
