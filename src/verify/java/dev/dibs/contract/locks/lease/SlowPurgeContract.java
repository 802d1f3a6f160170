package dev.dibs.contract.locks.lease;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.OnEachDatabase;
import org.awaitility.Awaitility;

/** On MariaDB a purge commits each row, so a batch may take longer than its statement may: then it ends early, and goes on. */
@OnEachDatabase(MariaDbDatabase.class)
class SlowPurgeContract extends ContractFixture {

    /** A batch of 200 rows takes at least four seconds; the statement has three. */
    @FullTest
    void aPurgeGoesOnHoweverSlowACommitIs() throws Exception {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.LOCKS);
        String old = "SELECT count(*) FROM " + prefix + "lock WHERE name LIKE 'old-%'";
        for (int i = 0; i < 300; i++) {
            sql().change(
                            "INSERT INTO " + prefix
                                    + "lock (name, holder, fence, acquired_at, held_until) VALUES (?, '', 1, 1, 1)",
                            "old-" + i);
        }
        sql().run("CREATE TRIGGER " + prefix + "slow BEFORE DELETE ON " + prefix
                + "lock FOR EACH ROW SET @slept = sleep(0.02)");
        dibs.lock("new").tryAcquire().orElseThrow().close();
        Awaitility.await().atMost(LONG).until(() -> sql().number(old) == 0);
    }
}
