package dev.dibs.mutants;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Assigns mutants to databases: each belongs to the first database whose texts it changes. A statement that the dialects of all databases
 * replace belongs to none.
 */
final class Subjects {

    /** The order in which they get shared mutants. */
    static final List<String> DATABASES = List.of("h2", "postgresql", "mariadb", "mysql", "sqlite");

    private static final String NOBODY = "nobody";

    private final Path project;
    private final Overlay overlay;
    private final Map<String, Object> whole = new TreeMap<>();

    private final Method texts;
    /** The assignment, as long as no file changes: computing it takes a minute. */
    private final Results owners;

    Subjects(Path project, Path folder) throws IOException, ReflectiveOperationException {
        this.project = project;
        overlay = new Overlay(folder);
        owners = new Results(folder.resolve("owners.tsv"));
        texts = overlay.loader()
                .loadClass("dev.dibs.internal.sql.files.EffectiveTexts")
                .getMethod("of", String.class);
        for (String database : DATABASES) {
            whole.put(database, texts(database));
        }
    }

    /** All texts that the database may get, as the files are now. */
    private Object texts(String database) throws ReflectiveOperationException {
        return texts.invoke(null, database);
    }

    /** All mutants, by their database; those without one are under {@code nobody}. */
    Map<String, List<Mutant>> all(Set<String> stems) throws IOException, ReflectiveOperationException {
        TreeMap<String, Path> files = new TreeMap<>();
        collect(files, project.resolve("sql"), "standard/");
        for (String database : DATABASES) {
            collect(files, project.resolve("dialects").resolve(database), "dialects/" + database + "/");
        }
        int version = whole.hashCode();
        Map<String, List<Mutant>> mutants = new TreeMap<>();
        for (Map.Entry<String, Path> file : files.entrySet()) {
            for (Mutant mutant : Mutations.of(file.getKey(), Files.readString(file.getValue()))) {
                if (stems.contains(mutant.stem())) {
                    String key = mutant + " in " + version;
                    if (owners.get(key).isEmpty()) {
                        owners.put(key, owner(mutant));
                    }
                    mutants.computeIfAbsent(owners.get(key), x -> new ArrayList<>())
                            .add(mutant);
                }
            }
        }
        return mutants;
    }

    static List<Mutant> ofNobody(Map<String, List<Mutant>> all) {
        return all.getOrDefault(NOBODY, List.of());
    }

    private String owner(Mutant mutant) throws IOException, ReflectiveOperationException {
        try (Overlay.Wrong ignored = overlay.with(mutant)) {
            for (String database : DATABASES) {
                if (mayRead(database, mutant.file()) && !texts(database).equals(whole.get(database))) {
                    return database;
                }
            }
            return NOBODY;
        }
    }

    /** Its own folder; a dialect that is the base of another comes before that one. */
    private static boolean mayRead(String database, String file) {
        String folder = file.split("/", -1)[1];
        return file.startsWith("standard/") || DATABASES.indexOf(folder) <= DATABASES.indexOf(database);
    }

    private static void collect(Map<String, Path> files, Path folder, String prefix) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            found.filter(file -> file.toString().endsWith(".sql"))
                    .forEach(file -> files.put(prefix + file.getFileName(), file));
        }
    }
}
