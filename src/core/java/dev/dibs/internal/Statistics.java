package dev.dibs.internal;

import dev.dibs.DibsMXBean;
import dev.dibs.internal.lease.Events;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The counters of one instance, over JMX. Without a usable MBean server there are none. */
public final class Statistics implements DibsMXBean {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final AtomicBoolean PREPARED = new AtomicBoolean();

    private final String holder;
    private final String dialect;
    private final LeaseKeeper keeper;
    private final Events events;
    private @Nullable ObjectName name;

    public Statistics(String holder, String dialect, LeaseKeeper keeper, Events events) {
        this.holder = holder;
        this.dialect = dialect;
        this.keeper = keeper;
        this.events = events;
    }

    /**
     * Java creates its MBean server at the first request, which takes a quarter of the time to a process's first lease. So it is
     * requested early, on another thread. A registration waits only for the rest.
     */
    public static void prepare() {
        if (PREPARED.compareAndSet(false, true)) {
            Thread thread = new Thread(null, Statistics::makeServer, "dibs-statistics", 0, false);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void makeServer() {
        try {
            ManagementFactory.getPlatformMBeanServer();
        } catch (SecurityException e) {
            LOG.log(Level.DEBUG, "No statistics over JMX", e);
        }
    }

    public void register() {
        try {
            // Several class loaders of one JVM may each load this library; the class's identity keeps their names
            // apart.
            String id = Integer.toHexString(System.identityHashCode(Statistics.class)) + "-" + COUNT.incrementAndGet();
            ObjectName free = new ObjectName("dev.dibs:type=Dibs,id=" + id);
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, free);
            name = free;
        } catch (JMException | SecurityException e) {
            LOG.log(Level.DEBUG, "No statistics over JMX", e);
        }
    }

    public void unregister() {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException | SecurityException e) {
            LOG.log(Level.DEBUG, "The MBean was gone already", e);
        }
    }

    @Override
    public String getHolder() {
        return holder;
    }

    @Override
    public String getDialect() {
        return dialect;
    }

    @Override
    public int getHeld() {
        return keeper.size();
    }

    @Override
    public long getAcquired() {
        return events.acquired.sum();
    }

    @Override
    public long getBusy() {
        return events.busy.sum();
    }

    @Override
    public long getTakeovers() {
        return events.takeovers.sum();
    }

    @Override
    public long getLost() {
        return events.lost.sum();
    }

    @Override
    public long getRenewalFailures() {
        return events.renewalFailures.sum();
    }

    @Override
    public long getLateRenewals() {
        return events.lateRenewals.sum();
    }

    @Override
    public long getLockedTransactions() {
        return events.lockedTransactions.sum();
    }

    @Override
    public long getReleased() {
        return events.released.sum();
    }

    @Override
    public String toString() {
        return "Statistics[" + Strings.escape(holder) + "]";
    }
}
