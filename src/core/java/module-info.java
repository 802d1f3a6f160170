import org.jspecify.annotations.NullMarked;

/**
 * Lets processes take turns through the relational database that they already share: locks, claims on rows, runs of workers and
 * one-time tokens. {@link dev.dibs.Dibs} is the entry point.
 *
 * <pre>{@code
 * import dev.dibs.*;                                                // and dev.dibs.claims, .runs, .tokens, .once
 * import static java.time.Duration.ofSeconds;
 *
 * Dibs dibs = Dibs.on(dataSource);                                  // finds the database's dialect; close() at shutdown
 * dibs.admin().createSchema(Capability.LOCKS);                      // locks need one table; creates it if missing
 *
 * try (Lease lease = dibs.lock("sync", customerId).acquire(ofSeconds(5))) {
 *     pull();                                                       // renewed in the background until closed
 *     lease.inTransaction(dataSource, tx -> push(tx));              // exclusive up to the commit
 * } catch (NotAcquiredException busy) {
 *     tellBusy(busy.holder());
 * }
 *
 * dibs.lock("nightly-export").tryRun(lease -> exportAll());         // or: skip it if another node does it
 * dibs.lock("item", itemId).inTransaction(dataSource, tx -> sell(tx, itemId));   // or: one short transaction, no lease
 * }</pre>
 *
 * <p>{@code inTransaction} locks the lock's own row in your transaction: from there to the commit nobody can take the lock over, even if
 * this process was paused for longer than its lease. The other entry points are {@link dev.dibs.Dibs#claims rows of your own table},
 * {@link dev.dibs.Dibs#run runs}, {@link dev.dibs.Dibs#once work once a period} and {@link dev.dibs.Dibs#tokens tokens}.
 */
@NullMarked
module dev.dibs {
    requires transitive java.sql;
    requires java.management;
    requires static org.jspecify;

    // For cron expressions only; an application that uses them adds it itself. It is not transitive: otherwise every
    // module that
    // requires this one would need it to compile.
    requires static com.cronutils;

    // For LISTEN only; an application that uses it has the driver anyway.
    requires static org.postgresql.jdbc;

    exports dev.dibs;
    exports dev.dibs.claims;
    exports dev.dibs.once;
    exports dev.dibs.runs;
    exports dev.dibs.tokens;

    // For Dibs' own modules only: these packages change without notice.
    exports dev.dibs.internal.sql.errors to
            dev.dibs.web;
    exports dev.dibs.internal.values to
            dev.dibs.web;
}
