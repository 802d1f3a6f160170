package dev.dibs.contract.schema;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table of a later protocol has a column {@code protocol_N}. It is refused by name, before anything is written. */
class ProtocolContract extends ContractFixture {
    private String prefix;
    private String jobs;

    @BeforeEach
    void makeTables() throws SQLException {
        prefix = ownPrefix();
        dibs(pool(), prefix).admin().createSchema();
        jobs = table("id int NOT NULL PRIMARY KEY");
        sql().run("INSERT INTO " + jobs + " VALUES (1)");
    }

    /** The first use of each table, by the table that has a later protocol. */
    private Map<String, Consumer<Dibs>> uses() {
        Map<String, Consumer<Dibs>> uses = new TreeMap<>();
        uses.put("lock", dibs -> dibs.lock("x").tryAcquire());
        uses.put("once", dibs -> dibs.once("x").every(LONG).tryRun(lease -> {}));
        uses.put("permit", dibs -> dibs.semaphore("x", 1).tryAcquire());
        uses.put("gate", dibs -> dibs.readWriteLock("x").write().tryAcquire());
        uses.put("reader", dibs -> dibs.readWriteLock("x").read().tryAcquire());
        uses.put("ticket", dibs -> dibs.lock("y").fair().tryAcquire());
        uses.put(
                "claim", dibs -> dibs.claims(jobs).key("id").sideTable().build().claim(1));
        uses.put("run", dibs -> dibs.run("x").pause("why"));
        uses.put("token", dibs -> dibs.tokens("x").issue("ann", LONG));
        return uses;
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void eachCapabilityRefusesTheTableByName() throws SQLException {
        for (Map.Entry<String, Consumer<Dibs>> use : uses().entrySet()) {
            String table = prefix + use.getKey();
            sql().run("ALTER TABLE " + table + " ADD protocol_2 int");
            Map<String, Long> before = rows();
            Dibs dibs = dibs(pool(), prefix);
            assertThatThrownBy(() -> use.getValue().accept(dibs))
                    .as(table)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessage("The table " + table + " is of protocol 2, and this Dibs speaks protocol 1."
                            + " Update Dibs in this program; nothing was written");
            assertThat(rows()).isEqualTo(before);
            sql().run("ALTER TABLE " + table + " DROP COLUMN protocol_2");
        }
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void aLaterProtocolIsNamedAndTheOtherTablesWork() throws SQLException {
        sql().run("ALTER TABLE " + prefix + "token ADD protocol_2 int");
        sql().run("ALTER TABLE " + prefix + "token ADD protocol_13 int");
        Dibs dibs = dibs(pool(), prefix);
        assertThatThrownBy(() -> dibs.tokens("x").issue("ann", LONG))
                .hasMessageContaining(prefix + "token is of protocol 13,");
        assertThat(dibs.lock("x").tryAcquire()).isPresent();
        // Once the table is right again, no restart is needed.
        sql().run("ALTER TABLE " + prefix + "token DROP COLUMN protocol_2");
        sql().run("ALTER TABLE " + prefix + "token DROP COLUMN protocol_13");
        assertThat(dibs.tokens("x").issue("ann", LONG)).isNotEmpty();
    }

    @Test
    void aMarkOfOursOrAColumnThatIsNoneIsFine() throws SQLException {
        sql().run("ALTER TABLE " + prefix + "lock ADD protocol_1 int");
        sql().run("ALTER TABLE " + prefix + "lock ADD protocol_2_notes int");
        Dibs dibs = dibs(pool(), prefix);
        assertThat(dibs.lock("x").tryAcquire()).isPresent();
        dibs.admin().checkSchema();
        dibs.admin().createSchema();
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void checksAndTheDoctorTellAndNothingIsMade() throws SQLException {
        sql().run("ALTER TABLE " + prefix + "lock ADD protocol_2 int");
        sql().run("ALTER TABLE " + prefix + "lock DROP COLUMN holder");
        sql().run("DROP TABLE " + prefix + "once");
        String refused = "The table " + prefix + "lock is of protocol 2, and this Dibs speaks protocol 1";
        Dibs dibs = dibs(pool(), prefix);
        assertThatThrownBy(() -> dibs.admin().checkSchema(Capability.LOCKS))
                .hasMessageStartingWith(refused)
                .hasMessageNotContaining("holder");
        assertThatThrownBy(() -> dibs.admin().createSchema()).hasMessageStartingWith(refused);
        assertThat(dibs.admin().doctor())
                .filteredOn(finding -> finding.level() == Finding.Level.ERROR)
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains(refused));
        assertThatThrownBy(() -> sql().run("SELECT * FROM " + prefix + "once")).isInstanceOf(SQLException.class);
        dibs.admin().createSchema(Capability.ONCE);
    }

    @Test
    void aTableIsLookedAtOnce() {
        Dibs dibs = dibs(counting(), prefix);
        for (int i = 0; i < 3; i++) {
            dibs.lock("x").tryAcquire().orElseThrow().close();
            dibs.tokens("x").issue("ann", LONG);
        }
        assertThat(counting().looks())
                .doesNotHaveDuplicates()
                .filteredOn(look -> look.endsWith("WHERE 0 = 1"))
                .containsExactlyInAnyOrder(
                        "SELECT * FROM " + prefix + "lock WHERE 0 = 1",
                        "SELECT * FROM " + prefix + "token WHERE 0 = 1");
    }

    @FullTest(except = {"postgresql", "h2"})
    void aLookThatGetsLostIsTakenAgain() throws SQLException {
        Dibs dibs = dibs(faulty(), prefix);
        faulty().onLook().loseStatement();
        assertFails(() -> dibs.lock("x").tryAcquire());
        sql().run("ALTER TABLE " + prefix + "lock ADD protocol_2 int");
        Dibs next = dibs(faulty(), prefix);
        faulty().onLook().loseStatement();
        assertThatThrownBy(() -> next.lock("x").acquire(SOON)).hasMessageContaining("is of protocol 2");
        assertThat(rows()).containsEntry(prefix + "lock", 0L);
    }

    private Map<String, Long> rows() throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        for (String table : tables(prefix)) {
            rows.put(table, sql().number("SELECT count(*) FROM " + table));
        }
        return rows;
    }
}
