package dev.dibs.contract.claims;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.OnEachDatabase;
import org.junit.jupiter.api.Test;

/** Where keys are read and sent as texts within one claim, a key that does not find its own row is an error at once. */
@OnEachDatabase(MariaDbDatabase.class)
class UnfoundKeyContract extends ContractFixture {
    /** The byte 0x81 has no character in cp1250, so no text of Unicode has the key. */
    @Test
    void aClaimThatMarksFewerRowsThanItHasPickedNamesTheKeyAndItsType() throws Exception {
        String type = "id varchar(20) CHARACTER SET cp1250 COLLATE cp1250_bin NOT NULL";
        KeyTable table = closing(new KeyTable(this, type, "id"));
        table.insertText("'a'");
        table.insertText("_cp1250 x'81'");
        RowClaims<RowKey> claims = table.claims(here()).build();
        assertFails(() -> claims.claim(2), "is not found by its own key: id VARCHAR", "name another key with key(..)");
        assertThat(claims.claim(1).complete().done()).containsExactly(RowKey.of("a"));
    }
}
