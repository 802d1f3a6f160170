package dev.dibs.contract.schema;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.NextVersion;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.HolderMain;
import dev.dibs.tokens.OneTimeTokens;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of this version become those of a next one, which has two more columns in each. Programs of both work meanwhile. */
class GrowthContract extends ContractFixture {

    @TempDir
    private Path folder;

    private String prefix;
    private Statements now;
    private Dialect next;

    @BeforeEach
    void makesTheTablesOfThisVersionAndADialectOfTheNext() throws IOException {
        prefix = ownPrefix();
        try (Dibs old = old()) {
            old.admin().createSchema();
            now = Statements.load(DialectFolder.named(old.dialect().name()), prefix);
        }
        next = NextVersion.of(Dialect.named(now.dialect().name()), prefix, folder);
    }

    private Dibs old() {
        return dibs(pool(), prefix);
    }

    private Dibs next(HikariDataSource pool) {
        return closing(builder(pool).tablePrefix(prefix).dialect(next).build());
    }

    @FullTest(except = "postgresql")
    void columnsAreAddedBesideProgramsOfTheEarlierVersion() throws Exception {
        AtomicBoolean grown = new AtomicBoolean();
        try (ChildJvm holder = holder();
                Dibs old = old();
                Dibs dibs = next(pool())) {
            OneTimeTokens links = old.tokens("links");
            String link = links.issue("ann", Duration.ofHours(1));
            holder.awaitLine(line -> line.startsWith("HELD"), LONG);
            CompletableFuture<Integer> busy = CompletableFuture.supplyAsync(() -> use(old, grown));

            assertThatThrownBy(dibs.admin()::checkSchema)
                    .hasMessageContaining(
                            "The table " + prefix + "lock has no column later_text, later_count. Add them with")
                    .hasMessageContaining("ALTER TABLE " + prefix + "lock ADD ");
            assertThat(dibs.admin().missingSchema())
                    .hasSize(2 * now.schema().all().size())
                    .allSatisfy(statement -> assertThat(statement).contains("ALTER TABLE " + prefix));
            dibs.admin().createSchema();
            assertThat(dibs.admin().missingSchema()).isEmpty();
            dibs.admin().checkSchema();
            grown.set(true);

            assertThat(busy.get()).as("acquires of the earlier version").isPositive();
            assertThat(dibs.lock("old").tryAcquire()).isEmpty();
            holder.send("guard");
            assertThat(holder.awaitLine(line -> line.startsWith("GUARD"), LONG)).isEqualTo("GUARD committed");
            assertThat(dibs.tokens("links").consume(link).isOk()).isTrue();
            assertThat(links.consume(link).isOk()).isFalse();
            try (Lease lease = dibs.lock("new").acquire(LONG)) {
                assertThat(old.lock("new").tryAcquire()).isEmpty();
                lease.check();
            }
            old.admin().createSchema();
            old.admin().checkSchema();
        }
        assertThat(sql().number("SELECT count(*) FROM " + prefix + "lock WHERE later_count = 7 AND later_text IS NULL"))
                .isPositive();
    }

    private ChildJvm holder() {
        return ChildJvm.start(
                List.of(),
                Map.of(),
                HolderMain.class,
                database().url(),
                database().user(),
                database().password(),
                "old",
                String.valueOf(LONG.toMillis()),
                prefix,
                // Its renewals write, too.
                database().has(Trait.ADDS_COLUMNS_BESIDE_WRITERS) ? "often" : "");
    }

    private int use(Dibs old, AtomicBoolean grown) {
        int acquired = 0;
        while (!grown.get()) {
            if (database().has(Trait.ADDS_COLUMNS_BESIDE_WRITERS)) {
                old.lock("busy" + acquired % 3).acquire(LONG).close();
                acquired++;
            }
        }
        old.lock("busy").acquire(LONG).close();
        return acquired + 1;
    }

    @FullTest(except = "postgresql")
    void nodesOfTheNextVersionMayStartAtOnce() {
        assumeThat(database().has(Trait.ADDS_COLUMNS_BESIDE_WRITERS)).isTrue();
        List<CompletableFuture<Void>> starts = IntStream.range(0, 5)
                .mapToObj(node -> CompletableFuture.runAsync(() -> {
                    try (Dibs dibs = next(pool())) {
                        dibs.admin().createSchema();
                        dibs.admin().checkSchema();
                        dibs.lock("node" + node).acquire(LONG).close();
                    }
                }))
                .toList();
        starts.forEach(CompletableFuture::join);
    }

    @Test
    void withoutTheRightTheErrorNamesTheCommandThatPrintsTheStatements() throws SQLException {
        String user = newUser(prefix);
        try (Dibs old = old()) {
            for (String grant : old.dialect().grants(prefix, user).strip().split(";\\R", -1)) {
                sql().run(grant.replace(";", ""));
            }
        }
        Dibs dibs = next(closing(database().poolOf(user)));
        assertFails(
                dibs.admin()::createSchema,
                "As a user with the right to create and change tables, run what 'dibs init --dry-run'");
        assertThat(dibs.admin().missingSchema()).hasSize(2 * now.schema().all().size());
        for (String statement : dibs.admin().missingSchema()) {
            sql().run(statement);
        }
        dibs.admin().createSchema();
        dibs.admin().checkSchema();
    }
}
