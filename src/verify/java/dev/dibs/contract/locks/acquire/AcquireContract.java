package dev.dibs.contract.locks.acquire;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Promises 1, 2 and 11: one holder, growing fences, exact names. */
@Core
class AcquireContract extends ContractFixture {

    @Test
    void oneHolderAtATime() {
        String name = fresh("one");
        Lease first = here().lock(name).tryAcquire().orElseThrow();
        assertThat(there().lock(name).tryAcquire()).isEmpty();
        assertThat(here().lock(name).tryAcquire()).as("not reentrant").isEmpty();
        first.close();
        first.close();
        Lease second = there().lock(name).tryAcquire().orElseThrow();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(second.takeover()).as("it was released").isEmpty();
        first.close();
        assertThat(here().lock(name).tryAcquire())
                .as("closing again must not free the next one's")
                .isEmpty();
    }

    @Test
    void differentNamesDoNotMeet() {
        List<String> names = List.of("case", "CASE", "Case", "trailing", "trailing ", " trailing", "e\u0301", "\u00e9");
        String base = fresh("differ");
        Dibs dibs = dibs();
        List<Lease> leases = names.stream()
                .map(name -> dibs.lock(base + name).tryAcquire().orElseThrow())
                .toList();
        assertThat(leases).hasSameSizeAs(names);
        leases.forEach(Lease::close);
    }

    @Test
    void anyNameComesBackAsItWas() {
        String start = fresh("");
        List<String> names = List.of(
                "it's \"quoted\" `so` [and] {so}",
                "back\\slash % _ ? :name ::x -- /* */ ;",
                "\ud83d\ude80 \u65e5\u672c\u8a9e",
                "\u0001\t\n\r\u007f",
                " blank before, blank after ",
                "ß ss ſ ı i İ");
        for (String name : names) {
            String whole = start + name;
            try (Lease lease = here().lock(whole).tryAcquire().orElseThrow()) {
                assertThat(lease.name()).isEqualTo(whole);
                assertThat(here().admin().locks()).extracting(LeaseInfo::name).contains(whole);
                assertThat(here().lock(whole).tryAcquire()).isEmpty();
            }
        }
    }

    @Test
    void twoHundredCharactersFitAndTwoHundredAndOneDoNot() {
        String start = fresh("");
        String emoji = start + "\ud83d\ude80".repeat((200 - start.length()) / 2);
        String longest = emoji + "x".repeat(200 - emoji.length());
        try (Lease lease = here().lock(longest).tryAcquire().orElseThrow()) {
            assertThat(lease.name()).hasSize(200).isEqualTo(longest);
        }
        assertThatThrownBy(() -> here().lock(longest + "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("201")
                .hasMessageContaining("200");
    }

    @Test
    void aKeyIsOneOfAKind() {
        String kind = fresh("kind");
        Lease first = here().lock(kind, 1).tryAcquire().orElseThrow();
        Lease second = here().lock(kind, "2").tryAcquire().orElseThrow();
        assertThat(first.name()).isEqualTo(kind + ":1");
        assertThat(second.isValid()).isTrue();
        assertThat(here().lock(kind, 1L).tryAcquire()).isEmpty();
    }

    @Test
    void aBusyOutcomeNamesTheHolder() {
        String name = fresh("who");
        Dibs here = closing(builder(pool()).holder("the export on node 7").build());
        Lease lease = here.lock(name).acquire(Duration.ZERO);
        assertThatThrownBy(() -> there().lock(name).acquire(Duration.ofMillis(50)))
                .isInstanceOfSatisfying(NotAcquiredException.class, busy -> {
                    assertThat(busy.name()).isEqualTo(name);
                    LeaseInfo holder = busy.holder().orElseThrow();
                    assertThat(holder.holder()).isEqualTo("the export on node 7");
                    assertThat(holder.fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(Duration.between(holder.since(), holder.until())).isBetween(LONG, LONG.multipliedBy(2));
                })
                .hasMessageContaining(name)
                .hasMessageContaining("the export on node 7");
    }

    @Test
    void fencesGrowAndFit() {
        String name = fresh("fence");
        long last = 0;
        for (int i = 0; i < 20; i++) {
            try (Lease lease = here().lock(name).tryAcquire().orElseThrow()) {
                assertThat(lease.fencingToken()).isGreaterThan(last).isLessThan(1L << 53);
                last = lease.fencingToken();
            }
        }
    }

    @Test
    void workRunsUnderTheLockAndItsExceptionPasses() throws IOException {
        String name = fresh("run");
        AtomicBoolean ran = new AtomicBoolean();
        assertThat(here().lock(name).tryRun(lease -> {
                    ran.set(lease.isValid());
                    assertThat(here().lock(name).tryRun(inner -> ran.set(false)))
                            .isFalse();
                }))
                .isTrue();
        assertThat(ran).isTrue();
        assertThatThrownBy(() -> here().lock(name).run(Duration.ZERO, lease -> {
                    throw new IOException("full");
                }))
                .isInstanceOf(IOException.class);
        here().lock(name)
                .run(Duration.ZERO, lease -> assertThat(lease.isValid()).isTrue());
    }

    @Test
    void closingTheInstanceReleasesItsLeases() {
        String name = fresh("close");
        Lease first = here().lock(name, "a").tryAcquire().orElseThrow();
        Lease second = here().lock(name, "b").tryAcquire().orElseThrow();
        here().close();
        here().close();
        assertThat(first.isValid()).isFalse();
        second.close();
        try (Dibs there = dibs()) {
            assertThat(there.lock(name, "a").tryAcquire()).isPresent();
            assertThat(there.lock(name, "b").tryAcquire()).isPresent();
        }
        assertThatThrownBy(() -> here().lock(name).tryAcquire()).isInstanceOf(IllegalStateException.class);
    }
}
