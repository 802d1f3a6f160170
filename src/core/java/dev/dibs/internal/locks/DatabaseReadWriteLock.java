package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.ReadWriteLock;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.acquire.ReaderRequest;
import dev.dibs.internal.acquire.WriterAcquire;
import dev.dibs.internal.acquire.WriterRequest;
import dev.dibs.internal.values.Strings;
import java.time.Duration;

/** A read-write lock by name, and the ways to acquire either side. */
public record DatabaseReadWriteLock(Acquirer acquirer, String name, Duration lease) implements ReadWriteLock {

    @Override
    public Acquirable<Lease> read() {
        return side("read", new PlainAcquire(acquirer, new ReaderRequest(name)));
    }

    @Override
    public Acquirable<Lease> write() {
        return side("write", new WriterAcquire(acquirer, new WriterRequest(name)));
    }

    private Acquirable<Lease> side(String side, Acquiring way) {
        return new Acquisition<Lease>(acquirer, way, lease, Lease.class) {
            @Override
            public String toString() {
                return DatabaseReadWriteLock.this + "." + side + "()";
            }
        };
    }

    @Override
    public String toString() {
        return "ReadWriteLock[" + Strings.escape(name) + "]";
    }
}
