package dev.dibs.contract.schema;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.Core;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables: the first process creates them, and an error message says how to create missing ones. */
@Core
class SchemaContract extends ContractFixture {
    @Test
    void theFirstStartComplainsOfNoTables() throws SQLException {
        String prefix = ownPrefix();
        Warnings warnings = closing(new Warnings(prefix));
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        dibs.admin().checkSchema();
        assertThat(warnings.heard()).isEmpty();
    }

    @Test
    void tenNodesMakeTheTablesAtOnce() throws Exception {
        String prefix = ownPrefix();
        List<Dibs> nodes = Stream.generate(() -> dibs(pool(), prefix)).limit(10).toList();
        inThreads(nodes.size(), number -> nodes.get(number).admin().createSchema());
        nodes.get(0).admin().createSchema();
        nodes.get(0).admin().checkSchema();
        assertThat(nodes.get(9).lock("x").tryAcquire()).isPresent();
    }

    @Test
    void aDatabaseThatRefusesEverythingIsNotAskedForAllTablesEachTime() {
        FaultyDataSource faulty = new FaultyDataSource(counting());
        try (Dibs dibs = dibs(faulty)) {
            faulty.on(sql -> !sql.contains("AS in_table")).always().fail("42000", 1);
            for (int i = 0; i < 5; i++) {
                assertFails(() -> dibs.lock("refused").tryAcquire(), "The database's message above names");
            }
        }
        assertThat(counting().statements())
                .filteredOn(sql -> sql.contains("AS in_table"))
                .hasSize(1);
    }

    @Test
    void aMissingTableIsNamedWithTheCommandThatMakesIt() {
        String prefix = prefix();
        Dibs dibs = dibs(pool(), prefix);
        assertThatThrownBy(() -> dibs.lock("x").tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining(prefix + "lock")
                .hasMessageContaining("createSchema(Capability.LOCKS)")
                .hasMessageContaining("dibs schema " + dibs.dialect() + " --only locks'")
                .hasMessageNotContaining(prefix + "gate");
        assertFails(dibs.admin()::checkSchema, prefix + "lock", prefix + "gate", "createSchema()");
        assertThat(dibs.admin().doctor())
                .anySatisfy(finding -> assertThat(finding.level()).isEqualTo(Finding.Level.ERROR));
    }

    @Test
    void oneStatementLooksAtAllTablesAndNoneAtTheStart() throws SQLException {
        String prefix = ownPrefix();
        dibs(pool(), prefix).admin().createSchema();
        Dibs dibs = dibs(counting(), prefix);
        assertThat(counting().statements()).as("a look at the settings").hasSize(1);
        dibs.admin().checkSchema();
        assertThat(counting().statements()).hasSize(2);
        List<String> looks = counting().statements().stream()
                .filter(sql -> sql.contains(prefix + "lock"))
                .toList();
        assertThat(looks).singleElement().asString().contains(tables(prefix));
    }

    @FullTest(except = {"postgresql", "h2", "sqlite"})
    void oneOfAllTablesThatIsMissingIsNamedAlone() throws SQLException {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        sql().run("DROP TABLE " + prefix + "gate");
        assertThat(catchMessage(dibs))
                .startsWith("The table " + prefix + "gate is missing (")
                .endsWith("'dibs schema " + dibs.dialect() + " --only read-write-locks' prints");
        dibs.admin().createSchema();
        dibs.admin().checkSchema();
    }

    @FullTest(except = {"postgresql", "h2"})
    void aTableThatMayNotBeReadIsNamedAlone() throws SQLException {
        String prefix = ownPrefix();
        String user = newUser(prefix);
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        for (String table : tables(prefix)) {
            if (!table.equals(prefix + "gate")) {
                sql().run("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + user);
            }
        }
        Dibs reads = dibs(closing(database().poolOf(user)), prefix);
        if (database().has(Trait.CATALOG_SHOWS_ALL_COLUMNS)) {
            assertThat(rights(reads).message()).startsWith("no SELECT on " + prefix + "gate; no INSERT");
        } else {
            assertThat(catchMessage(reads))
                    .startsWith("The table " + prefix + "gate may not be read (")
                    .contains("dibs schema " + dibs.dialect() + " --grant-to");
        }
        sql().run("GRANT SELECT ON " + prefix + "gate TO " + user);
        reads.admin().checkSchema();
    }

    @FullTest(except = "postgresql")
    void theGrantsAreEnoughAndARightThatIsMissingIsTold() throws SQLException {
        String prefix = ownPrefix();
        String user = newUser(prefix);
        Dibs owner = dibs(pool(), prefix);
        owner.admin().createSchema();
        for (String grant : owner.dialect().grants(prefix, user).strip().split(";\\R", -1)) {
            sql().run(grant.replace(";", ""));
        }
        Dibs dibs = dibs(closing(database().poolOf(user)), prefix);
        dibs.admin().createSchema();
        assertThat(rights(dibs).level()).isEqualTo(Finding.Level.OK);
        dibs.lock("allowed").acquire(Duration.ZERO).close();
        sql().run("REVOKE INSERT, UPDATE, DELETE ON " + prefix + "lock FROM " + user);
        assertThat(rights(dibs).level()).isEqualTo(Finding.Level.ERROR);
        assertThat(rights(dibs).message())
                .startsWith("no INSERT on %1$slock; no UPDATE on %1$slock; no DELETE on %1$slock (".formatted(prefix));
        assertThat(rights(dibs).remedy()).contains("dibs schema " + dibs.dialect() + " --grant-to");
        assertFails(() -> dibs.lock("refused").tryAcquire(), "it needs the rights select, insert, update and delete");
        sql().run("DROP TABLE " + prefix + "gate");
        assertThatThrownBy(dibs.admin()::createSchema)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining(
                        "As a user with the right to create and change tables, run what 'dibs init --dry-run'"
                                + " prints")
                .hasMessageNotContaining("createSchema");
        owner.admin().createSchema();
    }

    private static Finding rights(Dibs dibs) {
        return finding(dibs.admin().doctor(), "rights");
    }

    @Test
    void aMissingColumnIsNamedWithTheStatementThatAddsIt() throws SQLException {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        sql().run("ALTER TABLE " + prefix + "lock DROP COLUMN holder");
        assertFails(
                dibs.admin()::checkSchema, prefix + "lock has no column holder", "ALTER TABLE " + prefix + "lock ADD ");
        assertThatThrownBy(() -> dibs.lock("x").tryAcquire()).hasMessageContaining("holder");
        String message = catchMessage(dibs);
        String statement = message.substring(message.lastIndexOf("or run: ") + "or run: ".length());
        assertThat(dibs.admin().missingSchema()).singleElement().asString().isEqualToNormalizingWhitespace(statement);
        sql().run(statement);
        dibs.admin().checkSchema();
        assertThat(dibs.lock("x").tryAcquire()).isPresent();
    }

    private static String catchMessage(Dibs dibs) {
        return catchThrowableOfType(DatabaseFailureException.class, dibs.admin()::checkSchema)
                .getMessage();
    }

    @Test
    void theDdlAsTextMakesTheSameTables() throws SQLException {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        for (String statement : dibs.dialect().ddl(prefix).split(";\\R", -1)) {
            if (!statement.isBlank()) {
                sql().run(statement);
            }
        }
        assertThatCode(dibs.admin()::checkSchema).doesNotThrowAnyException();
    }

    @Test
    void theDoctorFindsNothingWrongWithOurOwnDatabase() {
        List<Finding> findings = here().admin().doctor();
        Stream<Finding.Level> levels = findings.stream().map(Finding::level);
        assertThat(levels).doesNotContain(Finding.Level.WARNING, Finding.Level.ERROR);
        assertThat(findings)
                .extracting(Finding::subject)
                .contains("database", "autocommit", "isolation", "tables", "clock");
        assertThat(findings)
                .filteredOn(finding -> finding.level() != Finding.Level.OK)
                .allSatisfy(finding -> assertThat(finding.remedy()).isNotBlank());
    }
}
