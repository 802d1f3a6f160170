package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.internal.sql.run.Params;
import java.sql.Connection;
import java.sql.PreparedStatement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Single statements about permits. */
@Tag("contract")
class PermitStatementContract extends Fixture {

    /** A waiter waits for the slot that expires first, not for the lowest. */
    @Test
    void aBusySemaphoreNamesTheFirstPermitToExpire() throws Exception {
        String name = fresh("permits");
        long far = 9_000_000_000_000L;
        try (Connection connection = pool().getConnection();
                PreparedStatement insert = connection.prepareStatement(LeaseTable.insertion(
                        connection,
                        "dibs_permit",
                        "slot, owner, holder, fence, acquired_at, held_until",
                        "?, ?, 'somebody', 1, 1, ?"))) {
            for (int slot = 0; slot < 3; slot++) {
                insert.setString(1, name);
                insert.setInt(2, slot);
                insert.setString(3, "owner-" + slot);
                insert.setLong(4, slot == 1 ? far - 1 : far);
                insert.executeUpdate();
            }
        }
        Params params = Params.of("name", name).with("permits", 3);
        assertThat(asked(pool(), "dibs_")
                        .call("look_permit", params, LeaseTable.TIMEOUT, row -> row.getString("owner"))
                        .rows())
                .containsExactly("owner-1");
    }
}
