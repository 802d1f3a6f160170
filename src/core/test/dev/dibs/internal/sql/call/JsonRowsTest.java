package dev.dibs.internal.sql.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class JsonRowsTest {

    private static JsonRows pairs(List<String> names, List<String> owners) {
        return new JsonRows(List.of("name", "owner"), List.of(names, owners));
    }

    @Test
    void isAListOfPairs() {
        assertThat(pairs(List.of(), List.of()).toJson()).isEqualTo("[]");
        assertThat(pairs(List.of("a", "b"), List.of("1", "2")).toJson())
                .isEqualTo("[{\"name\":\"a\",\"owner\":\"1\"},{\"name\":\"b\",\"owner\":\"2\"}]");
    }

    @Test
    void escapesSpecialCharacters() {
        assertThat(json("say \"hi\"")).isEqualTo("say \\\"hi\\\"");
        assertThat(json("c:\\temp")).isEqualTo("c:\\\\temp");
        assertThat(json("a\tb\nc\rd\b\f")).isEqualTo("a\\u0009b\\u000ac\\u000dd\\u0008\\u000c");
        assertThat(json("\u0001\u001f")).isEqualTo("\\u0001\\u001f");
    }

    /** H2 reads the text as JSON and writes it again, escaped by its own rules: so both must mean the same. */
    @Test
    void everyCharacterComesBackFromAParser() throws SQLException {
        StringBuilder all = new StringBuilder();
        for (int c = 1; c <= Character.MAX_VALUE; c++) {
            if (!Character.isSurrogate((char) c)) {
                all.append((char) c);
            }
        }
        all.appendCodePoint(0x1F600).appendCodePoint(Character.MAX_CODE_POINT);
        assertThat(parsed(pairs(List.of(all.toString()), List.of("1"))))
                .isEqualTo(parsedByMembers(all.toString(), "1"));
    }

    @Test
    void aParserCanTellNamesApart() throws SQLException {
        assertThat(parsed(pairs(List.of("a\\"), List.of("1")))).isNotEqualTo(parsedByMembers("a", "1"));
        assertThat(parsed(pairs(List.of("a "), List.of("1")))).isNotEqualTo(parsedByMembers("a", "1"));
    }

    private static String json(String name) {
        String whole = pairs(List.of(name), List.of("x")).toJson();
        return whole.substring("[{\"name\":\"".length(), whole.length() - "\",\"owner\":\"x\"}]".length());
    }

    private static String parsed(JsonRows pairs) throws SQLException {
        return query("SELECT CAST(? FORMAT JSON AS varbinary)", pairs.toJson());
    }

    private static String parsedByMembers(String name, String owner) throws SQLException {
        return query(
                "SELECT CAST(JSON_ARRAY(JSON_OBJECT('name': CAST(? AS varchar), 'owner': CAST(? AS varchar))) AS varbinary)",
                name,
                owner);
    }

    private static String query(String sql, String... values) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
