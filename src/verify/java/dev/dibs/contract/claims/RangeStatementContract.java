package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Single statements about rows that have left their range. */
@Tag("contract")
class RangeStatementContract extends Fixture {

    /** However many other rows come first. */
    @Test
    void freeScatteredRowsAreClaimed() throws Exception {
        String scope = fresh("scattered");
        for (int row = 1; row <= 9; row++) {
            sql().change(
                            "INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES (?, ?, 'other', ?)",
                            scope,
                            String.valueOf(row),
                            row == 5 ? 1 : 9_000_000_000_000L);
        }
        Database database = asked(pool(), asked(pool(), "dibs_").statements().only("claim_scattered", Map.of()));
        Params params = Params.of("scope", scope)
                .with("token", "mine")
                .with("lease", 600_000)
                .with("n", 1);
        for (String expected : new String[] {"5 mine", null}) {
            assertThat(database.call(
                                    "claim_scattered",
                                    params,
                                    LeaseTable.TIMEOUT,
                                    row -> row.getString("dibs_row") + " " + row.getString("dibs_token"))
                            .rows())
                    .isEqualTo(expected == null ? List.of() : List.of(expected));
        }
    }
}
