package dev.dibs.internal.claims.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
class ClaimOrderTest {

    private static ClaimTable table(String column, String order) {
        return new ClaimTable("jobs", List.of(column), List.of(), List.of(), Map.of("order", order));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "due, id | ''",
                "due, T.ID DESC NULLS LAST | ''",
                "due, t.[id] DESC | ''",
                "'due, \"ID\"' | ''",
                "due | ', t.id'",
                "'due, lower(id)' | ', t.id'",
                "'coalesce(due, id, 0)' | ', t.id'",
                "'coalesce(due, nullif(id, 3)), id desc' | ''",
                "'case when state = ''('' then 0 else 1 end, id' | ''"
            })
    void columnsOfTheKeyThatTheOrderDoesNotNameBreakTies(String order, String ties) {
        assertThat(table("id", order).ties()).isEqualTo(ties);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "due, customer | ', due'",
                "t.customer desc, id | ', id'",
                "'coalesce(due, customer, 0), id' | ', coalesce(due, customer, 0), id'"
            })
    void columnsOfTheGroupDoNotOrderIt(String order, String rest) {
        assertThat(new KeyGroups(table("customer", ""), 1, false).without(order))
                .isEqualTo(rest);
    }
}
