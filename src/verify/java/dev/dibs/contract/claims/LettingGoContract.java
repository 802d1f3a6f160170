package dev.dibs.contract.claims;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Many rows are released at once while another caller takes them over, one by one. */
class LettingGoContract extends ContractFixture {

    static final System.Logger LOG = System.getLogger(LettingGoContract.class.getName());
    static final List<String> KEYS =
            IntStream.range(100, 140).mapToObj(String::valueOf).toList();

    /** A search by an index of the tokens sees the rows as they were. */
    @FullTest(except = "postgresql")
    void rowsTakenDuringTheirReleaseKeepTheirNewHolder() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id varchar(20) PRIMARY KEY"));
        table.run("CREATE INDEX " + table.name() + "_i ON " + table.name() + " (request_token)");
        table.run("INSERT INTO " + table.name() + " (id) VALUES "
                + KEYS.stream().map(key -> "('" + key + "')").collect(Collectors.joining(", ")));
        RowClaims<RowKey> claims = table.claims(here()).build();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (System.nanoTime() < end) {
            table.run("UPDATE " + table.name() + " SET request_token = 'mine', claimed_until = 9000000000000");
            CountDownLatch begun = new CountDownLatch(1);
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(() -> taken(table.name(), begun, over));
            begun.await();
            claims.release("mine");
            over.set(true);
            int expected = taken.get(1, TimeUnit.MINUTES);
            assertThat(sql().number("SELECT count(*) FROM " + table.name() + " WHERE request_token = 'his'"))
                    .isEqualTo(expected);
        }
    }

    /** How many rows the other caller could take over before the end. It goes the same way, from a later row on, and is overtaken. */
    private int taken(String table, CountDownLatch begun, AtomicBoolean over) {
        int taken = 0;
        try (Connection connection = pool().getConnection();
                PreparedStatement take = connection.prepareStatement(
                        "UPDATE " + table + " SET request_token = 'his' WHERE id = ? AND request_token = 'mine'")) {
            int first = ThreadLocalRandom.current().nextInt(KEYS.size() - 5);
            for (int key = first; key < KEYS.size() && !over.get(); key++) {
                take.setString(1, KEYS.get(key));
                taken += take.executeUpdate();
                begun.countDown();
            }
        } catch (SQLException refused) {
            LOG.log(System.Logger.Level.DEBUG, "He takes no more", refused);
        } finally {
            begun.countDown();
        }
        return taken;
    }
}
