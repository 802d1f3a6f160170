package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Traits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promise 1 and 4 with batches of acquires and releases of several instances. */
@Tag("race")
class BatchRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void crowdsOfSeveralInstancesNeverHaveANameTwice() throws Exception {
        String kind = fresh("crowd");
        int names = 30;
        int threads = 24;
        AtomicIntegerArray inside = new AtomicIntegerArray(names);
        AtomicLongArray fences = new AtomicLongArray(names);
        AtomicInteger granted = new AtomicInteger();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        HikariDataSource few = few();
        CountingDataSource counting = new CountingDataSource(few);
        List<Dibs> instances = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            instances.add(dibs(counting));
        }
        try {
            inThreads(instances.size() * threads, number -> {
                Dibs dibs = instances.get(number % instances.size());
                Random random = new Random(number);
                for (int i = 0; i < 15; i++) {
                    int name = random.nextInt(names);
                    Optional<Lease> lease = dibs.lock(kind, name).tryAcquire();
                    if (lease.isPresent()) {
                        granted.incrementAndGet();
                        if (inside.incrementAndGet(name) != 1) {
                            broken.add("two at a time: " + lease);
                        }
                        if (fences.getAndSet(name, lease.get().fencingToken())
                                >= lease.get().fencingToken()) {
                            broken.add("a fence that did not grow: " + lease);
                        }
                        LockSupport.parkNanos(100_000);
                        inside.decrementAndGet(name);
                        lease.get().close();
                    }
                }
            });
        } finally {
            instances.forEach(Dibs::close);
            few.close();
        }
        assertThat(broken).isEmpty();
        assertThat(granted).hasValueGreaterThan(names);
        if (database().batches()) {
            assertThat(counting.statements()).anyMatch(Traits.MANY);
        }
    }
}
