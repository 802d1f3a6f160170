package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.Waiters;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The queues of the waiting callers of this JVM. For each name, the first caller asks the database, and the others wait behind it, first
 * come, first served. A release in this JVM wakes the first caller directly; a release elsewhere does so through {@link Wakeups}.
 */
public final class WaitingRooms implements Waiters {

    /** More permits than waiters will ever acquire. */
    private static final int ALL = 1 << 24;

    private final Map<LeaseName, Room> rooms = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A name's queue, in order. It exists while it has a caller, and changes under the map's lock on its name. */
    private static final class Room {
        final Set<Place> places = new LinkedHashSet<>();
        final Semaphore releases = new Semaphore(0);

        /** Wakes the first caller, if there is one. */
        boolean callFirst() {
            boolean any = !places.isEmpty();
            if (any) {
                places.iterator().next().turn.countDown();
            }
            return any;
        }
    }

    /** Joins the queue. Close the place when done, with the lock or without. */
    Place enter(LeaseName name) {
        Place[] entered = new Place[1];
        rooms.compute(name, (key, existing) -> {
            Room room = existing == null ? new Room() : existing;
            entered[0] = new Place(name, room);
            room.places.add(entered[0]);
            room.callFirst();
            return room;
        });
        return entered[0];
    }

    @Override
    public void released(LeaseName name) {
        Room room = rooms.get(name);
        if (room != null) {
            room.releases.release();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (LeaseName name : rooms.keySet()) {
            rooms.computeIfPresent(name, (key, room) -> {
                room.places.forEach(place -> place.turn.countDown());
                room.releases.release(ALL);
                return room;
            });
        }
    }

    boolean isEmpty() {
        return rooms.isEmpty();
    }

    /** One caller's place. */
    final class Place implements AutoCloseable {

        private final LeaseName name;
        private final Room room;
        private final CountDownLatch turn = new CountDownLatch(1);

        private Place(LeaseName name, Room room) {
            this.name = name;
            this.room = room;
        }

        /** Waits until this caller is first, or all are to go on; returns false if the time is up before. */
        boolean awaitFront(long nanos) throws InterruptedException {
            return closed || turn.await(nanos, TimeUnit.NANOSECONDS);
        }

        /** Sleeps until the lock is released as far as is known here, or the time is up; returns whether it was released. */
        boolean awaitRelease(long nanos) throws InterruptedException {
            boolean released = !closed && room.releases.tryAcquire(nanos, TimeUnit.NANOSECONDS);
            if (released) {
                room.releases.drainPermits();
            }
            return released || closed;
        }

        @Override
        public void close() {
            rooms.computeIfPresent(name, (key, entered) -> {
                entered.places.remove(this);
                return entered.callFirst() ? entered : null;
            });
        }
    }
}
