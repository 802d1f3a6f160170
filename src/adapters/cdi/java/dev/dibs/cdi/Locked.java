package dev.dibs.cdi;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method while its caller holds a lock: at most one caller at a time, over all processes that use the same database.
 *
 * <p>If the method is {@code @Transactional}, the lock is acquired before the transaction begins, and released after it has ended. The
 * transaction is {@linkplain dev.dibs.Lease#guard guarded} directly after its begin. So its commit is exclusive, also if the lease has
 * ended by time. Without a transaction it is the lock alone.
 *
 * <p>With {@link #lease lease = false} there is no lease: the transaction itself has the lock, from directly after its begin to its end.
 * That is one statement in place of three, for a method that is one short transaction.
 *
 * <p>A parameter with {@link LockKey} gives one lock for each of its values.
 *
 * <p>The call throws {@link dev.dibs.NotAcquiredException} if the lock stays busy, {@link dev.dibs.LeaseLostException} if the lease is
 * lost, and {@code IllegalStateException} if a transaction is already active: the lock would be released before its commit. The method
 * must belong to a bean, as with each annotation that CDI intercepts.
 *
 * <p>The application does not start, and Quarkus does not build it, if the method cannot keep this promise: another {@code TxType} than
 * {@code REQUIRED} or {@code REQUIRES_NEW}; a result that is computed later; a private, static or final method.
 */
@Documented
@Exclusive
@InterceptorBinding
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {

    /** The lock's name, as for {@link dev.dibs.Dibs#lock(String)}; with a {@link LockKey} its kind. */
    String value();

    /**
     * How long to wait at most while the lock is busy, such as {@code 5s} or {@code PT5S}. By default the call does not wait. It is not
     * named {@code wait}, because Java does not allow an annotation that name.
     */
    String waitFor() default "0s";

    /**
     * False for a method that is {@code @Transactional}, to lock by its transaction alone: see {@link
     * dev.dibs.NamedLock#tryGuard}. Such a transaction needs READ COMMITTED on PostgreSQL and H2, and neither SNAPSHOT nor
     * SERIALIZABLE on SQL Server. A wait holds no connection: the lock is {@linkplain dev.dibs.NamedLock#awaitFree awaited} before the
     * transaction begins. The {@link dev.dibs.NotAcquiredException} of a busy lock names no holder.
     */
    boolean lease() default true;
}
