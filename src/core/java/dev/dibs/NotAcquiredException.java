package dev.dibs;

import dev.dibs.internal.values.Texts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lock stayed busy for as long as the caller was ready to wait, or the wait was interrupted. */
public final class NotAcquiredException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String name;
    private final transient @Nullable LockInfo holder;

    /**
     * For Dibs itself, and for an {@link Acquirable} of an application's own tests.
     *
     * @param holder who has it, or null if that is not known
     */
    @SuppressWarnings("exports")
    public NotAcquiredException(String name, @Nullable LockInfo holder, String message) {
        super(Texts.oneLine(message));
        this.name = name;
        this.holder = holder;
    }

    /** The lock's name. */
    public String name() {
        return name;
    }

    /** Who held it when it was last asked for; empty if it was changing hands at that moment, or held back by
     * one who is {@linkplain NamedLock#holdAtLeast done}. */
    public Optional<LockInfo> holder() {
        return Optional.ofNullable(holder);
    }
}
