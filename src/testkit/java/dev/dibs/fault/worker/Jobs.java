package dev.dibs.fault.worker;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;

/** The rows to be claimed, for each way of storing claims. */
public record Jobs(
        RowClaims<RowKey> inColumns,
        RowClaims<RowKey> inPartitions,
        RowClaims<RowKey> aside,
        RowClaims<RowKey> ranges,
        RowClaims<RowKey> ofRun,
        RowClaims<RowKey> perKey) {

    /** They look at their tables. */
    public static Jobs of(Dibs dibs) {
        return new Jobs(
                inColumns(dibs, Tables.JOB, "id").build(),
                inColumns(dibs, Tables.PART_JOB, "id", "created_at").build(),
                aside(dibs),
                ranges(dibs),
                inColumns(dibs, Tables.RUN_JOB, "id").build(),
                inColumns(dibs, Tables.PER_KEY_JOB, "id").perKey("customer", 1).build());
    }

    private static ClaimsBuilder inColumns(Dibs dibs, String table, String... key) {
        return dibs.claims(table)
                .key(key)
                .token("token")
                .until("claimed_until")
                .where("completions = 0")
                .completeSet("completions = completions + 1");
    }

    private static RowClaims<RowKey> aside(Dibs dibs) {
        return dibs.claims(Tables.SIDE_JOB)
                .key("id")
                .sideTable()
                .where("completions = 0")
                .completeSet("completions = completions + 1")
                .build();
    }

    private static RowClaims<RowKey> ranges(Dibs dibs) {
        return dibs.claims(Tables.PASS_JOB).key("id").ranges(Workload.PASS).build();
    }
}
