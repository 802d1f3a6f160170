/**
 * Locks and leases over any {@code DataSource}; {@link dev.dibs.Dibs} is the entry point.
 *
 * <pre>{@code
 * try (Lease lease = dibs.lock("sync", customerId).acquire(Duration.ofSeconds(5))) {
 *     pull();                                               // the lease is renewed in the background
 *     lease.check();                                        // LeaseLostException if it is no longer ours
 *     lease.inTransaction(dataSource, tx -> push(tx));      // exclusive up to the commit
 * } catch (NotAcquiredException busy) {
 *     tellBusy(busy.holder());
 * }
 * }</pre>
 */
@NullMarked
package dev.dibs;

import org.jspecify.annotations.NullMarked;
