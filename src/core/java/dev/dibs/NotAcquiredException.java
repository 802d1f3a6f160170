package dev.dibs;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lock stayed busy for the whole wait, or the wait was interrupted. */
public final class NotAcquiredException extends DibsException {

    private static final long serialVersionUID = 1;

    private final String name;
    private final transient @Nullable LeaseInfo holder;

    /**
     * For Dibs itself, and for an {@link Acquirable} of an application's own tests.
     *
     * @param holder the holder, or null if it is not known
     */
    @SuppressWarnings("exports")
    public NotAcquiredException(String name, @Nullable LeaseInfo holder, String message) {
        super(message);
        this.name = name;
        this.holder = holder;
    }

    /** The lock's name. */
    public String name() {
        return name;
    }

    /**
     * The holder when the lock was last asked for. Empty if a transaction had the lock without a lease, another caller was acquiring it,
     * or it was {@linkplain NamedLock#holdAtLeast held back}.
     */
    public Optional<LeaseInfo> holder() {
        return Optional.ofNullable(holder);
    }
}
