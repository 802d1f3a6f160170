package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.SqliteDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** SQLite keeps a value of any type in most columns. As a key it would be lost, or name another row. */
@OnEachDatabase(SqliteDatabase.class)
class StorageClassContract extends ContractFixture {
    /** A type, a value of another one, and a value of its own. */
    private static final List<List<String>> STRANGE = List.of(
            List.of("blob", "'123e4567-e89b-12d3-a456-426614174000'", "x'00'"),
            List.of("blob", "'ab'", "x'00'"),
            List.of("blob", "12", "x'00'"),
            List.of("binary(16)", "12", "x'00'"),
            List.of("bigint", "'abc'", "0"),
            List.of("bigint", "1.5", "1"),
            List.of("bigint", "x'30'", "0"),
            List.of("text", "x'30'", "'30'"));

    @Test
    void aKeyOfAnotherTypeIsAnErrorThatNamesTheColumnAndBothTypes() throws Exception {
        for (List<String> strange : STRANGE) {
            KeyTable table = closing(new KeyTable(this, "id " + strange.get(0), "id"));
            table.insertText(strange.get(1));
            refused(table.claims(here()), strange);
            sql().run("DELETE FROM " + table.name());
            table.insertText(strange.get(2));
            assertThat(table.claims(here()).build().claim(2).complete().done())
                    .as(strange.toString())
                    .hasSize(1);
        }
    }

    private static void refused(ClaimsBuilder claims, List<String> strange) {
        assertThatThrownBy(() -> claims.build().claim(1))
                .as(strange.toString())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContainingAll("a key in the column id of", "the type of the column is");
    }

    /** The row 0 is not changed by the key of a row whose key is a text. */
    @Test
    void aTextInAColumnOfNumbersIsNotTheKeyOfAnotherRow() throws Exception {
        KeyTable table = closing(new KeyTable(this, "id bigint", "id"));
        table.insertText("'abc'");
        table.insertText("0");
        assertThatThrownBy(
                        () -> table.claims(here()).where("id = 'abc'").build().claim(1))
                .hasMessageContaining("a key in the column id");
        assertThat(table.claims(here())
                        .where("id = 0")
                        .build()
                        .claim(1)
                        .complete()
                        .done())
                .isEqualTo(keys(0));
        assertThat(table.countDone()).isEqualTo(1);
    }
}
