package dev.dibs.mutants;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results for a database's mutants, one line for each file: the table that ends a run. */
final class Tally {

    /** The possible results for a mutant. */
    enum Fate {
        KILLED,
        EQUIVALENT,
        /** Not noticed; but if the condition is dropped everywhere in the statement, a test notices. */
        SAID_AGAIN,
        NOT_NOTICED,
        NO_TURN
    }

    private final Map<String, EnumMap<Fate, Integer>> files = new TreeMap<>();
    private final Map<String, Set<String>> statements = new TreeMap<>();

    Tally(Collection<Mutant> mutants, Function<Mutant, Fate> fate) {
        for (Mutant mutant : mutants) {
            files.computeIfAbsent(mutant.file(), x -> new EnumMap<>(Fate.class))
                    .merge(fate.apply(mutant), 1, Integer::sum);
            statements.computeIfAbsent(mutant.file(), x -> new HashSet<>()).add(mutant.statement());
        }
    }

    /** In Markdown. */
    List<String> lines(String database) {
        List<String> lines = new ArrayList<>(List.of(
                "| file | for | statements | mutants | killed | equivalent | said again | not noticed | no turn |",
                "|---|---|---|---|---|---|---|---|---|"));
        files.forEach((file, fates) ->
                lines.add(line(file, database, statements.get(file).size(), fates)));
        EnumMap<Fate, Integer> all = new EnumMap<>(Fate.class);
        files.values().forEach(fates -> fates.forEach((fate, count) -> all.merge(fate, count, Integer::sum)));
        int known = statements.values().stream().mapToInt(Set::size).sum();
        lines.add(line("**all**", database, known, all));
        return lines;
    }

    private static String line(String file, String database, int statements, Map<Fate, Integer> fates) {
        int mutants = fates.values().stream().mapToInt(Integer::intValue).sum();
        Stream<Object> counts = Stream.of(Fate.values()).map(fate -> fates.getOrDefault(fate, 0));
        String where = file.replaceFirst("^standard/", "sql/");
        return Stream.concat(Stream.<Object>of(where, database, statements, mutants), counts)
                .map(String::valueOf)
                .collect(Collectors.joining(" | ", "| ", " |"));
    }
}
