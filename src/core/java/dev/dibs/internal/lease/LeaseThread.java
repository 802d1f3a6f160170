package dev.dibs.internal.lease;

/**
 * The thread that acquired a lease. A lease belongs to no thread, so this is only a hint for people.
 *
 * @param id the thread's number in this JVM
 */
public record LeaseThread(long id, String name) {

    static LeaseThread current() {
        Thread thread = Thread.currentThread();
        return new LeaseThread(thread.getId(), thread.getName());
    }

    public boolean isCurrent() {
        return id == Thread.currentThread().getId();
    }

    @Override
    public String toString() {
        return name.isEmpty() ? "thread " + id : "thread '" + name + "'";
    }
}
