package bookshop;

import dev.dibs.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;

/** Deletes books that are out of print and were never ordered, while nobody reads the catalogue. */
final class CleanUp {

    private static final LocalTime AT = LocalTime.of(3, 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String DELETE =
            "DELETE FROM book WHERE NOT in_print AND NOT EXISTS (SELECT 1 FROM book_order o WHERE o.book_id = book.id)";

    private final Shop shop;

    CleanUp(Shop shop) {
        this.shop = shop;
    }

    /** Every node calls this now and then; one of them cleans up, once a night. It waits for the requests that have begun. */
    void nightly() throws SQLException {
        var outcome = shop.dibs()
                .once("clean-up")
                .daily(AT, ZoneId.systemDefault())
                .tryRun(night -> shop.catalogue().write().run(PATIENCE, this::purge));
        System.getLogger("bookshop").log(System.Logger.Level.DEBUG, "Clean-up: {0}", outcome);
    }

    /** Cleans up at once, or not at all. Returns how many books were deleted, or empty if somebody is reading. */
    OptionalInt now() throws SQLException {
        AtomicInteger gone = new AtomicInteger();
        boolean done = shop.catalogue().write().tryRun(lease -> gone.set(purge(lease)));
        return done ? OptionalInt.of(gone.get()) : OptionalInt.empty();
    }

    private int purge(Lease writing) throws SQLException {
        shop.slow().take("clean-up");
        AtomicInteger gone = new AtomicInteger();
        writing.inTransaction(shop.dataSource(), transaction -> gone.set(delete(transaction)));
        return gone.get();
    }

    private static int delete(Connection transaction) throws SQLException {
        try (PreparedStatement delete = transaction.prepareStatement(DELETE)) {
            return delete.executeUpdate();
        }
    }
}
