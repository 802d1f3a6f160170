package dev.dibs.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class MutationsTest {

    @Test
    void conditionsThatAPromiseHangsOnAreDroppedOneByOne() {
        List<Mutant> mutants = Mutations.of("standard/x.sql", """
                -- name: renew
                -- Comment AND held_until > 1.
                UPDATE {leases} SET held_until = {now} + :lease, fence = greatest(fence + 1, 2)
                 WHERE name IN (SELECT name FROM {leases}
                                 WHERE name = :name AND (owner = :owner OR fence = 1) AND held_until > {now} FOR UPDATE SKIP LOCKED)
                   AND owner = :owner;

                -- name: create_x
                CREATE TABLE x AS SELECT 1 WHERE owner = 1;
                """);
        assertThat(mutants)
                .extracting(Mutant::change)
                .containsExactly(
                        "without `name IN (SELECT name FROM {leases} WHERE name = :name AND (owner = ..`",
                        "without `(owner = :owner OR fence = 1)`",
                        "without `held_until > {now}`",
                        "without `owner = :owner`",
                        "fence does not grow",
                        "without SKIP LOCKED");
        assertThat(mutants.get(2).text()).contains("AND 1 = 1 FOR UPDATE SKIP LOCKED)\n   AND owner = :owner;");
        assertThat(mutants.get(3).text()).contains("AND 1 = 1;").contains("held_until > {now}");
        assertThat(mutants.get(4).text()).contains("greatest(fence, 2)");
        assertThat(mutants.get(5).text()).contains("FOR UPDATE)");
    }

    @Test
    void aConditionEndsWithItsStepAndBeforeAClauseThatIsAFragment() {
        assertThat(Mutations.of("standard/x.sql", """
                        -- name: take
                        SELECT 1 FROM x WHERE ended = 1 AND ended = 1
                        -- then
                        DELETE FROM x WHERE name = 'a' AND held_until <= {now} {lock_x}
                        -- else
                        UPDATE x JOIN y ON x.a = y.a AND x.owner = y.owner WHERE x.a = 1;
                        """))
                .extracting(Mutant::change)
                .containsExactly(
                        "without `ended = 1`",
                        "without `ended = 1` #2",
                        "without `ended = 1` anywhere",
                        "without `held_until <= {now}`",
                        "without `x.owner = y.owner`");
    }

    @Test
    void aConditionThatIsSaidTwiceIsDroppedInBothPlacesToo() {
        List<Mutant> mutants = Mutations.of("standard/x.sql", """
                -- name: take
                DELETE FROM x AS t WHERE name IN (SELECT name FROM x WHERE owner = 1 FOR UPDATE SKIP LOCKED) AND t.owner = 1;
                """);
        assertThat(mutants)
                .extracting(Mutant::change)
                .containsExactly(
                        "without `name IN (SELECT name FROM x WHERE owner = 1 FOR UPDATE SKIP LOCKED)`",
                        "without `owner = 1`",
                        "without `t.owner = 1`",
                        "without `owner = 1` anywhere",
                        "without SKIP LOCKED");
        assertThat(mutants.get(3).text()).contains("WHERE 1 = 1 FOR UPDATE").contains("AND 1 = 1;");
        assertThat(mutants.get(1).nameOfAll()).isEqualTo(mutants.get(3).toString());
        assertThat(mutants.get(4).together()).isEmpty();
    }

    /** Without it, a new file would have mutants that no run breaks. */
    @Test
    void eachFileWithMutantsHasItsContracts() throws IOException {
        Set<String> files = new TreeSet<>();
        try (Stream<Path> found = Files.walk(Path.of("sql"))) {
            for (Path file :
                    found.filter(path -> path.toString().endsWith(".sql")).toList()) {
                String stem = file.getFileName().toString().replace(".sql", "");
                if (!Mutations.of("standard/" + stem + ".sql", Files.readString(file))
                        .isEmpty()) {
                    files.add(stem);
                }
            }
        }
        assertThat(TestOrder.files()).containsAll(files);
    }

    @Test
    void eachContractOfTheOrderExists() {
        Set<String> contracts = Contracts.classes().stream()
                .map(name -> name.replaceAll(".*\\.|Contract$", ""))
                .collect(Collectors.toSet());
        for (String file : TestOrder.files()) {
            assertThat(TestOrder.contractsOf(file))
                    .as(file)
                    .allMatch(pattern -> contracts.stream().anyMatch(name -> name.matches(pattern)));
        }
    }
}
