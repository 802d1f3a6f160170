package dev.dibs.contract.tokens;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Old tokens are deleted, nothing else is, and nobody waits for it. */
class TokenPurgeContract extends ContractFixture {
    @Test
    void onlyLongEndedTokensAreDeleted() throws Exception {
        String purpose = fresh("purged");
        OneTimeTokens tokens = here().tokens(purpose)
                .pepper(TokenContract.PEPPER)
                .purgeEvery(Duration.ZERO)
                .keepFor(Duration.ofMinutes(5));
        String otherPurpose = fresh("others");
        OneTimeTokens others =
                here().tokens(otherPurpose).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        String live = tokens.issue("ann", TokenContract.TTL);
        String usedEarly = tokens.issue("ann", TokenContract.TTL);
        tokens.consume(usedEarly);
        String used = tokens.issue("ann", Duration.ofMinutes(2));
        tokens.consume(used);
        String revoked = tokens.issue("ann", TokenContract.TTL);
        tokens.revoke(revoked);
        tokens.issue("ann", Duration.ofMillis(1));
        String code = tokens.issueCode("ann", Duration.ofMinutes(2), 6);
        tokens.consumeCode("ann", code.equals("123456") ? "654321" : "123456");
        tokens.issueCode("bob", Duration.ofMillis(1), 6);
        others.consume(others.issue("ann", TokenContract.TTL));
        Thread.sleep(20);

        assertThat(tokens.purge()).as("too early").isZero();
        makeOlder(purpose, Duration.ofMinutes(4));
        assertThat(tokens.purge()).as("still").isZero();
        assertThat(tokens.consume(used).status()).isEqualTo(TokenStatus.USED);
        makeOlder(purpose, Duration.ofMinutes(4));
        assertThat(tokens.purge()).as("used, revoked and two expired").isEqualTo(4);
        assertThat(tokens.consume(used).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(tokens.consume(revoked).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(tokens.consume(live).isOk()).isTrue();
        assertThat(tokens.consume(usedEarly).status())
                .as("used, but not expired for long")
                .isEqualTo(TokenStatus.USED);
        assertThat(tokens.list("ann")).as("wrong tries of the code count on").hasSize(3);
        assertThat(others.counts().used()).isEqualTo(1);
        expire(otherPurpose);
        assertThat(others.purge()).as("whoever has used it may not know yet").isZero();
        makeOlder(otherPurpose, Duration.ofMinutes(1));
        assertThat(others.purge()).isEqualTo(1);
    }

    /** As if all had been issued for a moment only. */
    private void expire(String purpose) throws SQLException {
        assertThat(sql().change("UPDATE dibs_token SET ends_at = issued_at WHERE purpose = ?", purpose))
                .isPositive();
    }

    /** As if everything had happened earlier, except for the windows of codes. */
    private void makeOlder(String purpose, Duration by) throws SQLException {
        sql().change(
                        "UPDATE dibs_token SET issued_at = issued_at - ?, ends_at = ends_at - ?, used_at = used_at - ?"
                                + " WHERE purpose = ?",
                        by.toMillis(),
                        by.toMillis(),
                        by.toMillis(),
                        purpose);
    }

    @FullTest(except = "postgresql")
    void severalNodesPurgeAtOnce() throws Exception {
        int rows = 1200;
        // Other tests cause errors on the same server meanwhile, in tables of other names.
        String prefix = prefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        OneTimeTokens tokens =
                dibs.tokens(fresh("together")).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        // It adds the row of its lock: of two that add it at the same instant, one may get a duplicate key.
        tokens.purge();
        for (int i = 0; i < rows; i++) {
            tokens.issue("ann-" + i % 7, Duration.ofMillis(1));
        }
        limitLogged(prefix, 0);
        AtomicLong purged = new AtomicLong();
        inThreads(4, number -> purged.addAndGet(tokens.purge()));
        assertThat(purged.get() + tokens.purge()).isEqualTo(rows);
        assertThat(tokens.counts().expired()).isZero();
    }

    @Test
    void oneNodePurgesAtATime() throws Exception {
        String purpose = fresh("turn");
        OneTimeTokens tokens = here().tokens(purpose).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        tokens.issue("ann", Duration.ofMillis(1));
        Thread.sleep(5);
        CompletableFuture<Long> purging;
        try (Lease turn = there().lock("dibs-purging-tokens:" + purpose).acquire(LONG)) {
            purging = CompletableFuture.supplyAsync(tokens::purge);
            Thread.sleep(200);
            assertThat(turn.isValid()).isTrue();
            assertThat(tokens.counts().expired()).as("another one is at it").isEqualTo(1);
        }
        assertThat(purging.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThat(there().lock("dibs-purging-tokens:" + purpose).tryAcquire(LONG))
                .as("released")
                .isPresent();
    }

    @Test
    void purgeSkipsALockedRow() throws Exception {
        assumeTrue(database().has(Trait.PURGE_SKIPS_LOCKED_ROWS));
        String purpose = fresh("locked");
        OneTimeTokens tokens = here().tokens(purpose).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        tokens.consume(tokens.issue("ann", TokenContract.TTL));
        tokens.consume(tokens.issue("bob", TokenContract.TTL));
        expire(purpose);
        makeOlder(purpose, Duration.ofMinutes(1));
        Connection connection = transaction();
        Sql.on(connection)
                .change("UPDATE dibs_token SET tries = tries WHERE purpose = ? AND subject = ?", purpose, "ann");
        assertThat(tokens.purge()).isEqualTo(1);
        connection.rollback();
        assertThat(tokens.purge()).isEqualTo(1);
    }

    @FullTest(except = "postgresql")
    void inTheBackgroundAtMostOncePerIntervalOverAllNodes() throws Exception {
        String purpose = fresh("background");
        OneTimeTokens silent = here().tokens(purpose).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        for (int i = 0; i < 700; i++) {
            silent.issue("ann", Duration.ofMillis(1));
        }
        Thread.sleep(5);
        here().tokens(purpose)
                .purgeEvery(Duration.ofMinutes(1))
                .keepFor(Duration.ZERO)
                .issue("ann", TokenContract.TTL);
        await().until(() -> silent.counts().expired() == 0);
        assertThat(silent.counts().live()).isEqualTo(1);
        String purge = "dibs-purge-tokens:" + purpose;
        assertThat(here().admin().allLeases())
                .filteredOn(LeaseInfo::isMaintenance)
                .extracting(holder -> holder.name())
                .contains(purge);
        assertThat(here().admin().leases()).extracting(holder -> holder.name()).doesNotContain(purge);
        assertThat(here().admin().locks()).extracting(LeaseInfo::name).doesNotContain(purge);

        // It waits for the last batch, which finds nothing.
        here().close();
        OneTimeTokens later = there().tokens(purpose).purgeEvery(Duration.ZERO).keepFor(Duration.ZERO);
        later.issue("ann", Duration.ofMillis(1));
        OneTimeTokens next =
                there().tokens(purpose).purgeEvery(Duration.ofMinutes(1)).keepFor(Duration.ZERO);
        next.issue("bob", TokenContract.TTL);
        Thread.sleep(500);
        assertThat(later.counts().expired()).as("the interval is not over").isEqualTo(1);
    }
}
