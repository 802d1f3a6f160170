package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class SqlNameTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            delimiter = '|',
            value = {
                "jobs | jobs",
                "shop.jobs | shop.jobs",
                "a.b.c_1$ | a.b.c_1$",
                "größe | größe",
                "\"order\" | `order`",
                "[order] | `order`",
                "`order` | `order`",
                "shop.\"or der\" | shop.`or der`",
                "\"a.b\".[c]]d] | `a.b`.`c]d`",
                "\"tick`\" | `tick```",
                "\"say \"\"x\"\"\" | `say \"x\"`",
            })
    void isQuotedInTheWayOfTheDatabase(String text, String expected) {
        assertThat(SqlName.table(text.strip(), "`")).isEqualTo(expected.strip());
    }

    @Test
    void aQuoteInANameIsDoubled() {
        assertThat(SqlName.column("`a\"b`", "\"")).isEqualTo("\"a\"\"b\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1a",
                "a b",
                "a;b",
                "a#b",
                "a--b",
                "a.",
                ".a",
                "a..b",
                "a.b.c.d",
                "\"a",
                "`a",
                "[a",
                "\"\"",
                "a\"b\"",
                "a'b",
                "a/*b*/",
                "(select 1)",
                "a\0b",
                "\"a\0b\"",
                "a,b",
                "\"a\" b"
            })
    void anythingElseIsNoTable(String text) {
        assertThatThrownBy(() -> SqlName.table(text, "\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void aColumnHasNoDot() {
        assertThat(SqlName.column("\"a.b\"", "\"")).isEqualTo("\"a.b\"");
        assertThatThrownBy(() -> SqlName.column("a.b", "\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dot");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            delimiter = '|',
            value = {"id | id", "shop.jobs | jobs", "\"a\"\"b\" | a\"b", "x.[a]]b] | a]b", "`a``b` | a`b"})
    void theBareNameIsTheLastPart(String text, String expected) {
        assertThat(SqlName.bare(text.strip())).isEqualTo(expected.strip());
    }

    @Test
    void refusesVeryLongTexts() {
        assertThatThrownBy(() -> SqlName.table("\"".repeat(1_000_000), "\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("..' is not a table's name: it has 1000000 characters");
    }

    /** Before it is refused, it is compared with other names. */
    @ParameterizedTest
    @ValueSource(strings = {"[", "\"", "`"})
    void aVeryLongTextIsNotTakenApart(String quote) {
        String text = quote + "31m ".repeat(100_000);
        assertThat(SqlName.bare(text)).isEqualTo(text);
    }
}
