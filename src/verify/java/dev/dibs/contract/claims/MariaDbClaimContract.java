package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.OnEachDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Keys that only MariaDB and MySQL have: whole numbers with zeros at their front, and above 2^63. */
@OnEachDatabase({MariaDbDatabase.class, MySqlDatabase.class})
class MariaDbClaimContract extends ContractFixture {
    @Test
    void aNumberWithZerosAtItsFrontIsAKey() throws SQLException {
        for (String key : new String[] {"id", "id, part"}) {
            String type = "id int(8) ZEROFILL NOT NULL, part bigint(20) unsigned ZEROFILL NOT NULL";
            try (KeyTable table = new KeyTable(this, type, key);
                    Dibs dibs = dibs()) {
                for (int id = 1; id <= 4; id++) {
                    sql().run("INSERT INTO " + table.name() + " (id, part) VALUES (" + id + ", 18446744073709551615)");
                }
                completesTwo(table.claims(dibs));
                completesTwo(table.besides(dibs));
                assertThat(table.countDone()).isEqualTo(4);
            }
        }
    }

    private static void completesTwo(ClaimsBuilder claims) {
        Claim<RowKey> claim = claims.build().claim(2);
        assertThat(claim.keys()).hasSize(2);
        assertThat(claim.renew().lost()).isEmpty();
        assertThat(claim.complete().done()).hasSize(2);
    }

    @Test
    void rangesRefuseANumberThatMayBeTooLarge() throws SQLException {
        KeyTable table = closing(new KeyTable(this, "id bigint unsigned NOT NULL", "id"));
        ClaimsBuilder ranges = here().claims(table.name()).key("id").ranges(fresh("pass"));
        assertFails(ranges::build, "at most 64 bits with a sign");
    }

    @Test
    void aTableWithoutTransactionsIsRefused() throws SQLException {
        String table = table("id bigint NOT NULL PRIMARY KEY, mark varchar(40), ends_at bigint");
        ClaimsBuilder claims =
                here().claims(table).key("id").token("mark").until("ends_at").completeDelete();
        for (String engine : new String[] {"MyISAM", "MEMORY"}) {
            sql().run("ALTER TABLE " + table + " ENGINE = " + engine);
            String message = catchThrowableOfType(DatabaseFailureException.class, claims::build)
                    .getMessage();
            assertThat(message).contains(table, engine, "no transactions");
            sql().run(message.substring(message.indexOf("ALTER TABLE")));
            assertThat(claims.build().claim(1).keys()).isEmpty();
        }
    }
}
