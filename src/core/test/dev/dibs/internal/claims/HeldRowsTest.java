package dev.dibs.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Term;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class HeldRowsTest {

    private static final List<RowKey> KEYS =
            LongStream.rangeClosed(1, 200).mapToObj(RowKey::of).toList();

    /** A completion that took them for completed before would complete a whole range. */
    @Test
    void rowsThatExpireAtThisMomentAreUnfinished() {
        List<RowKey> backwards = new ArrayList<>(KEYS);
        Collections.reverse(backwards);
        for (int round = 0; round < 300; round++) {
            HeldRows rows = new HeldRows(KEYS, Term.from(LocalClock.SYSTEM, 1000));
            CompletableFuture<Void> lost = CompletableFuture.runAsync(() -> rows.lose(backwards));
            do {
                assertThat(rows.unfinished(KEYS)).isEqualTo(KEYS);
            } while (!lost.isDone());
        }
    }
}
