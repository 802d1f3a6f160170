package dev.dibs.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A database's name for people: enough to distinguish production from staging, and no secret. */
@Tag("unit")
class PlaceTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db1:5432/shop?user=u&password=secret, shop, postgresql://db1:5432/shop",
        "jdbc:mariadb://u:secret@db1/shop, shop, mariadb://db1/shop",
        "'jdbc:sqlserver://db1:1433;databaseName=shop;password=secret', shop, sqlserver://db1:1433 shop",
        "'jdbc:h2:mem:x;USER=sa;PASSWORD=secret', X, h2:mem:x",
        "'jdbc:oracle:thin:u/secret@//db1:1521/shop', , oracle://db1:1521/shop",
    })
    void anAddressIsShownWithoutUserPasswordAndSettings(String url, String catalog, String shown) {
        assertThat(Place.of(url, catalog, "Product")).isEqualTo(shown).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({"shop, Product shop", ", Product"})
    void aDriverThatTellsNoAddressIsNamedByItsProduct(String catalog, String shown) {
        assertThat(Place.of(null, catalog, "Product")).isEqualTo(shown);
    }
}
