package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.NotAcquiredException;
import dev.dibs.Once;
import dev.dibs.ValueStore;
import dev.dibs.database.FullRun;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values that are made anew once a period: whoever has an old one never waits. */
@Tag("contract")
class ValueContract extends Fixture {

    /** What all instances share, as a table would be. */
    static final class Shared implements ValueStore<String> {
        final Map<String, String> values = new ConcurrentHashMap<>();

        @Override
        public Optional<String> get(String name) {
            return Optional.ofNullable(values.get(name));
        }

        @Override
        public void put(String name, String value) {
            values.put(name, value);
        }
    }

    private static Once soon(Dibs dibs, String name) {
        return dibs.once(name).every(Duration.ofMillis(100));
    }

    @Test
    void theOldValueIsServedWhileOneMakesTheNewOne() throws Exception {
        String name = fresh("value");
        Shared store = new Shared();
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            assertThat(soon(here, name).getOrRefresh(store, () -> "old")).isEqualTo("old");
            Thread.sleep(200);
            CompletableFuture<String> maker =
                    CompletableFuture.supplyAsync(() -> soon(here, name).getOrRefresh(store, () -> {
                        making.countDown();
                        awaitQuietly(finish);
                        return "new";
                    }));
            assertThat(making.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(soon(there, name).getOrRefresh(store, () -> "twice")).isEqualTo("old");
            assertThat(soon(here, name).getOrRefresh(store, () -> "twice")).isEqualTo("old");
            finish.countDown();
            assertThat(maker.get(20, TimeUnit.SECONDS)).isEqualTo("new");
            assertThat(store.values).containsEntry(name, "new");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whereThereIsNoneTheOthersWait() throws Exception {
        String name = fresh("first");
        Shared store = new Shared();
        AtomicInteger made = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            CompletableFuture<?>[] visitors = new CompletableFuture<?>[6];
            for (int i = 0; i < visitors.length; i++) {
                Dibs dibs = i % 2 == 0 ? here : there;
                visitors[i] = CompletableFuture.runAsync(() -> assertThat(
                                dibs.once(name).every(Duration.ofHours(1)).getOrRefresh(store, () -> {
                                    made.incrementAndGet();
                                    awaitQuietly(new CountDownLatch(0));
                                    return "first";
                                }))
                        .isEqualTo("first"));
            }
            CompletableFuture.allOf(visitors).get(30, TimeUnit.SECONDS);
            assertThat(made).hasValue(1);
            store.values.clear();
            assertThat(there.once(name).every(Duration.ofHours(1)).getOrRefresh(store, () -> "found again"))
                    .as("what the store has lost is made anew before its time")
                    .isEqualTo("found again");
        }
    }

    @Test
    void inMemoryEachInstanceMakesItsOwn() throws Exception {
        String name = fresh("memory");
        AtomicInteger made = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            for (int i = 0; i < 5; i++) {
                for (Dibs dibs : new Dibs[] {here, there}) {
                    assertThat(dibs.<Integer, RuntimeException>getOrRefresh(
                                    name, Duration.ofHours(1), made::incrementAndGet))
                            .isEqualTo(dibs == here ? 1 : 2);
                }
            }
            assertThat(made).hasValue(2);
        }
    }

    @Test
    void inMemoryItIsMadeAnewOnceAPeriodInEachInstance() throws Exception {
        String name = fresh("anew");
        AtomicInteger made = new AtomicInteger();
        Duration age = Duration.ofMillis(500);
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            here.getOrRefresh(name, age, made::incrementAndGet);
            there.getOrRefresh(name, age, made::incrementAndGet);
            Thread.sleep(700);
            int before = made.get();
            long start = System.nanoTime();
            for (int i = 0; i < 40; i++) {
                here.getOrRefresh(name, age, made::incrementAndGet);
                there.getOrRefresh(name, age, made::incrementAndGet);
                Thread.sleep(5);
            }
            int periods = (int) Duration.ofNanos(System.nanoTime() - start).dividedBy(age) + 1;
            assertThat(made.get() - before).isBetween(2, 2 * (periods + 1));
        }
    }

    @Test
    void aFailureIsTheMakersAndThePauseIsForAll() {
        String name = fresh("broken");
        AtomicInteger tried = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            assertThatThrownBy(() -> here.getOrRefresh(name, Duration.ofHours(1), () -> {
                        tried.incrementAndGet();
                        throw new IOException("no list");
                    }))
                    .isInstanceOf(IOException.class);
            for (Dibs dibs : new Dibs[] {here, there}) {
                assertThatThrownBy(() -> dibs.getOrRefresh(name, Duration.ofHours(1), tried::incrementAndGet))
                        .isInstanceOf(DibsException.class)
                        .hasMessageContaining("no list");
            }
            assertThat(tried).hasValue(1);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whatIsJustMadeIsNotMadeAgain() throws Exception {
        AtomicInteger made = new AtomicInteger();
        try (Dibs dibs = dibs()) {
            for (int i = 1; i <= 100; i++) {
                String name = fresh("just");
                for (int view = 0; view < 3; view++) {
                    dibs.getOrRefresh(name, Duration.ofHours(1), made::incrementAndGet);
                }
                assertThat(made).hasValue(i);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whatTheStoreHasLostIsTriedAgainAfterAPauseAndNotByEveryPageView() throws Exception {
        String name = fresh("lost");
        Shared store = new Shared();
        AtomicInteger tried = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            Once once = here.once(name)
                    .backOff(Duration.ofSeconds(2), Duration.ofSeconds(2))
                    .ever();
            assertThat(once.getOrRefresh(store, () -> "first")).isEqualTo("first");
            store.values.clear();
            assertThatThrownBy(() -> once.getOrRefresh(store, () -> {
                        tried.incrementAndGet();
                        throw new IOException("no list");
                    }))
                    .isInstanceOf(IOException.class);
            for (Dibs dibs : new Dibs[] {here, there}) {
                assertThatThrownBy(() -> dibs.once(name).ever().getOrRefresh(store, () -> {
                            tried.incrementAndGet();
                            return "too soon";
                        }))
                        .isInstanceOf(DibsException.class)
                        .hasMessageContaining("no list");
            }
            assertThat(tried).hasValue(1);
            Thread.sleep(2_200);
            assertThat(there.once(name).ever().getOrRefresh(store, () -> "found again"))
                    .isEqualTo("found again");
            assertThat(once.getOrRefresh(store, () -> "twice")).isEqualTo("found again");
        }
    }

    @Test
    void whatTheStoreHasLostIsMadeByOne() throws Exception {
        String name = fresh("found");
        Shared store = new Shared();
        AtomicInteger reads = new AtomicInteger();
        ValueStore<String> late = new ValueStore<>() {
            @Override
            public Optional<String> get(String key) {
                Optional<String> value = store.get(key);
                if (reads.incrementAndGet() == 2) {
                    // Somebody else finds it lost too, and is quicker.
                    store.put(key, "theirs");
                }
                return value;
            }

            @Override
            public void put(String key, String value) {
                store.put(key, value);
            }
        };
        try (Dibs dibs = dibs()) {
            Once once = dibs.once(name).ever();
            once.getOrRefresh(store, () -> "first");
            store.values.clear();
            assertThat(once.getOrRefresh(late, () -> "twice")).isEqualTo("theirs");
        }
    }

    @Test
    void aValueOfItsOwnThatCanNotBeMadeIsNotTriedByEveryPageView() {
        String name = fresh("own");
        AtomicInteger tried = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            here.getOrRefresh(name, Duration.ofHours(1), () -> "made");
            for (int view = 0; view < 3; view++) {
                assertThatThrownBy(() -> there.getOrRefresh(name, Duration.ofHours(1), () -> {
                            throw new IOException("no list " + tried.incrementAndGet());
                        }))
                        .hasMessageContaining("no list 1");
            }
            assertThat(tried).hasValue(1);
        }
    }

    @Test
    void aWaitForTheFirstValueCanBeInterrupted() throws Exception {
        String name = fresh("waiting");
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        try (Dibs dibs = dibs()) {
            CompletableFuture<String> maker =
                    CompletableFuture.supplyAsync(() -> soon(dibs, name).getOrRefresh(() -> {
                        making.countDown();
                        awaitQuietly(finish);
                        return "made";
                    }));
            assertThat(making.await(20, TimeUnit.SECONDS)).isTrue();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> soon(dibs, name).getOrRefresh(() -> "twice"))
                    .isInstanceOf(NotAcquiredException.class);
            assertThat(Thread.interrupted()).isTrue();
            finish.countDown();
            assertThat(maker.get(20, TimeUnit.SECONDS)).isEqualTo("made");
        }
    }
}
