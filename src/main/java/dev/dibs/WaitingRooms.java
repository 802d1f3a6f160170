package dev.dibs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Where the waiting callers of this JVM queue: for each name one asks the database and the others wait behind it, first come,
 * first served. A release in this JVM wakes the one in front directly, and one elsewhere through {@link Wakeups}.
 */
final class WaitingRooms {

    /** More than there are threads. */
    private static final int ALL = 1 << 24;

    private final Map<LeaseName, Room> rooms = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A name's queue; it exists while somebody is in it. */
    private static final class Room {
        final Semaphore front = new Semaphore(1, true);
        final Semaphore releases = new Semaphore(0);
        int visitors;
    }

    /** Queues up. Close the place when done, with the lock or without. */
    Place enter(LeaseName name) {
        Room room = rooms.compute(name, (key, existing) -> {
            Room entered = existing == null ? new Room() : existing;
            entered.visitors++;
            return entered;
        });
        return new Place(name, room);
    }

    /** The lock was released in this JVM, or in another one that has told it; or it is worth a look for another reason. */
    void released(LeaseName name) {
        Room room = rooms.get(name);
        if (room != null) {
            room.releases.release();
        }
    }

    /** Lets all who wait go on at once, for good: each of them asks whether its Dibs is closed. */
    void close() {
        closed = true;
        for (Room room : rooms.values()) {
            room.front.release(ALL);
            room.releases.release(ALL);
        }
    }

    boolean isEmpty() {
        return rooms.isEmpty();
    }

    /** One caller's place. */
    final class Place implements AutoCloseable {

        private final LeaseName name;
        private final Room room;
        private boolean inFront;

        private Place(LeaseName name, Room room) {
            this.name = name;
            this.room = room;
        }

        /** Waits until this caller is in front, or all are to go on; returns false if the time is up before. */
        boolean awaitFront(long nanos) throws InterruptedException {
            inFront = !closed && room.front.tryAcquire(nanos, TimeUnit.NANOSECONDS);
            return inFront || closed;
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
            if (inFront) {
                room.front.release();
            }
            rooms.computeIfPresent(name, (key, entered) -> --entered.visitors == 0 ? null : entered);
        }
    }
}
