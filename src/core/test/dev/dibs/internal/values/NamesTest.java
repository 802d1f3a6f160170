package dev.dibs.internal.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The names that a kind and a key make. */
@Tag("unit")
class NamesTest {

    private static final UUID ID = new UUID(1, 2);

    private record Order(Object customer, Object item) {}

    private record OrderNumber(int id) {

        @Override
        public String toString() {
            return "O-" + id;
        }
    }

    private static final class Plain {}

    private static final class Silent {

        @Override
        @SuppressWarnings("ToStringReturnsNull")
        public String toString() {
            return null;
        }
    }

    static Stream<Arguments> keys() {
        return Stream.of(
                Arguments.of(42, "42"),
                Arguments.of("a, [b]: \"c\"", "a, [b]: \"c\""),
                Arguments.of('x', "x"),
                Arguments.of(true, "true"),
                Arguments.of(TimeUnit.DAYS, "DAYS"),
                Arguments.of(ID, ID.toString()),
                Arguments.of(LocalDate.of(2026, 2, 3), "2026-02-03"),
                Arguments.of(new OrderNumber(7), "O-7"),
                Arguments.of(Optional.of(Optional.of(5)), "5"),
                Arguments.of(List.of("a", 2), "[a, 2]"),
                Arguments.of(List.of("a, b", "c"), "[\"a, b\", c]"),
                Arguments.of(List.of("a", "b, c"), "[a, \"b, c\"]"),
                Arguments.of(List.of("a\", \"b"), "[\"a\\\", \\\"b\"]"),
                Arguments.of(List.of(List.of("a"), "[a]"), "[[a], \"[a]\"]"),
                Arguments.of(List.of(), "[]"),
                Arguments.of(List.of(""), "[\"\"]"),
                Arguments.of(Arrays.asList(null, "null", Optional.empty()), "[null, \"null\", null]"),
                Arguments.of(new TreeSet<>(Set.of(2, 1)), "[1, 2]"),
                Arguments.of(new int[] {1, 2}, "[1, 2]"),
                Arguments.of(new Object[] {"a", new byte[] {3}}, "[a, [3]]"),
                Arguments.of(new Order(7, "b, c"), "Order[customer=7, item=\"b, c\"]"),
                Arguments.of(new Order(new OrderNumber(7), new int[] {1}), "Order[customer=O-7, item=[1]]"));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aKeyIsWrittenByItsValues(Object key, String text) {
        assertThat(Names.of("kind", key)).isEqualTo("kind:" + text);
    }

    static Stream<Object> refused() {
        return Stream.of(
                new Plain(),
                new Silent(),
                (Runnable) () -> {},
                List.of(new Plain()),
                Optional.of(new Plain()),
                new Plain[] {new Plain()},
                new Order(1, new Plain()),
                List.of(List.of(new Order(1, Optional.of(new Silent())))));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aKeyWithoutATextIsRefused(Object key) {
        assertThatThrownBy(() -> Names.of("kind", key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no toString() of its own");
    }

    @Test
    void aKeyWithoutAnOrderIsRefused() {
        for (Object key : List.of(Set.of("a"), Map.of(), List.of(Set.of()))) {
            assertThatThrownBy(() -> Names.of("kind", key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a sorted set");
        }
    }

    @Test
    void aKeyThatIsNullIsRefused() {
        assertThatThrownBy(() -> Names.of("kind", null)).hasMessageContaining("the key is null");
        assertThatThrownBy(() -> Names.of("kind", Optional.empty())).hasMessageContaining("the key is null");
    }
}
