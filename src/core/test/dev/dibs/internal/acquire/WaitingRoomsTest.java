package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.junit.Closing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("unit")
@Timeout(120)
class WaitingRoomsTest extends Closing {

    private static final long LONG = TimeUnit.MINUTES.toNanos(5);

    private static final LeaseName A = new LeaseName(LeaseKind.LOCK, "a");
    private static final LeaseName B = new LeaseName(LeaseKind.LOCK, "b");

    private final WaitingRooms rooms = new WaitingRooms();

    @Test
    void aReleaseWakesTheOneInFront() throws Exception {
        WaitingRooms.Place place = closing(rooms.enter(A));
        assertThat(place.awaitFront(LONG)).isTrue();
        CompletableFuture<Void> release = CompletableFuture.runAsync(
                () -> rooms.released(A), CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
        place.awaitRelease(LONG);
        release.join();
    }

    @Test
    void aReleaseThatCameWhileTheOneInFrontWasAskingIsNotForgotten() throws Exception {
        WaitingRooms.Place place = closing(rooms.enter(A));
        assertThat(place.awaitFront(LONG)).isTrue();
        rooms.released(A);
        rooms.released(A);
        place.awaitRelease(LONG);
        long before = System.nanoTime();
        place.awaitRelease(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(System.nanoTime() - before)
                .as("two releases are one reason to ask")
                .isGreaterThan(40_000_000);
    }

    @Test
    void allGoOnTogetherWhenTheRoomsAreClosed() throws Exception {
        CountDownLatch waiting = new CountDownLatch(20);
        CountDownLatch together = new CountDownLatch(20);
        CountDownLatch left = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            new Thread(() -> {
                        try (WaitingRooms.Place place = rooms.enter(A)) {
                            waiting.countDown();
                            assertThat(place.awaitFront(LONG)).isTrue();
                            assertThat(place.awaitRelease(LONG)).isTrue();
                            // All of them ask at once: nobody waits until another one has asked.
                            together.countDown();
                            assertThat(together.await(60, TimeUnit.SECONDS)).isTrue();
                            left.countDown();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .start();
        }
        waiting.await();
        Thread.sleep(50);
        rooms.close();
        left.await();
        WaitingRooms.Place late = closing(rooms.enter(B));
        assertThat(late.awaitFront(LONG) && late.awaitRelease(LONG)).isTrue();
    }

    @Test
    void aReleaseOfAnotherNameWakesNobody() throws Exception {
        WaitingRooms.Place place = closing(rooms.enter(A));
        assertThat(place.awaitFront(LONG)).isTrue();
        rooms.released(B);
        long before = System.nanoTime();
        place.awaitRelease(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(System.nanoTime() - before).isGreaterThan(40_000_000);
    }

    @Test
    void leavingTheFrontLetsTheNextOneThere() throws Exception {
        CountDownLatch inFront = new CountDownLatch(1);
        CompletableFuture<Boolean> second;
        try (WaitingRooms.Place first = rooms.enter(A)) {
            assertThat(first.awaitFront(LONG)).isTrue();
            second = CompletableFuture.supplyAsync(() -> {
                try (WaitingRooms.Place place = rooms.enter(A)) {
                    boolean front = place.awaitFront(LONG);
                    inFront.countDown();
                    return front;
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(inFront.await(100, TimeUnit.MILLISECONDS)).isFalse();
        }
        assertThat(second.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void theFirstArrivalIsInFrontHoweverLateItAsks() throws Exception {
        WaitingRooms.Place first = closing(rooms.enter(A));
        try (WaitingRooms.Place second = rooms.enter(A)) {
            assertThat(second.awaitFront(1_000_000)).isFalse();
            assertThat(first.awaitFront(LONG)).isTrue();
        }
        assertThat(first.awaitFront(LONG)).as("still").isTrue();
    }

    @Test
    void aWaiterBehindTheFrontTimesOut() throws Exception {
        try (WaitingRooms.Place first = rooms.enter(A);
                WaitingRooms.Place second = rooms.enter(A)) {
            assertThat(first.awaitFront(LONG)).isTrue();
            assertThat(second.awaitFront(1_000_000)).isFalse();
        }
        assertThat(rooms.isEmpty()).as("a room goes with its last visitor").isTrue();
    }
}
