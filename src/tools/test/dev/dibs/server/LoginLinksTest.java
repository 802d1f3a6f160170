package dev.dibs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often and for how long the secret of a link is good. */
@Tag("unit")
class LoginLinksTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final LoginLinks links = new LoginLinks(Duration.ofMinutes(10), nanos::get);

    @Test
    void aLinkIsUsedOnce() {
        String secret = links.next();
        assertThat(secret).hasSize(43).isNotEqualTo(links.next());
        assertThat(links.isGood(secret)).isTrue();
        assertThat(links.use(secret)).isTrue();
        assertThat(links.isGood(secret)).isFalse();
        assertThat(links.use(secret)).isFalse();
        assertThat(links.use(null)).isFalse();
        assertThat(links.isGood("x")).isFalse();
    }

    @Test
    void aLinkEndsByTime() {
        String secret = links.next();
        nanos.addAndGet(Duration.ofMinutes(10).toNanos() - 1);
        assertThat(links.isGood(secret)).isTrue();
        nanos.addAndGet(1);
        assertThat(links.isGood(secret)).isFalse();
        assertThat(links.use(secret)).isFalse();
    }
}
