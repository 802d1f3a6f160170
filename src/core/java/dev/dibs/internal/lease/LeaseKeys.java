package dev.dibs.internal.lease;

import dev.dibs.internal.sql.call.Params;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The acquisitions that a statement is about: (name, owner) pairs, never "all of this instance". */
public record LeaseKeys(List<Key> all) {

    /** A name and its owner token. */
    public record Key(String name, String owner) {}

    static LeaseKeys of(Key key) {
        return new LeaseKeys(List.of(key));
    }

    public Set<String> owners() {
        return all.stream().map(Key::owner).collect(Collectors.toSet());
    }

    /** The values of the slots names, owners and pairs, which every list of keys has first, and then others. */
    public @Nullable Object[] values(@Nullable Object... others) {
        return Params.pairs(
                all.stream().map(Key::name).toList(),
                all.stream().map(Key::owner).toList(),
                others);
    }
}
