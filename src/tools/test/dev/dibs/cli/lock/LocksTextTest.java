package dev.dibs.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.LeaseInfo;
import dev.dibs.text.LocksJson;
import dev.dibs.text.OneLine;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LocksTextTest {

    private static final Instant SINCE = Instant.parse("2030-01-02T03:04:05Z");

    private static final List<LeaseInfo> LOCKS = List.of(
            new LeaseInfo(
                    LeaseInfo.Kind.LOCK, "a", "web1:4711", 1_700_000_000_000_001L, SINCE, SINCE.plusMillis(30_250)),
            new LeaseInfo(LeaseInfo.Kind.READER, "größe\n\u001b[2J", "\"x\" <y>", 7, SINCE, SINCE.plusSeconds(1)));

    @Test
    void alignsTheColumnsAndShowsNoControlCharacters() {
        assertThat(LocksTable.of(LOCKS)).isEqualToNormalizingNewlines("""
                NAME                  KIND    HOLDER     FENCE             SINCE                 UNTIL
                a                     lock    web1:4711  1700000000000001  2030-01-02T03:04:05Z  2030-01-02T03:04:35Z
                größe\\u000a\\u001b[2J  reader  "x" <y>    7                 2030-01-02T03:04:05Z  2030-01-02T03:04:06Z""");
    }

    @Test
    void controlAndInvisibleCharactersAreShownAsCodes() {
        String hostile = "\u009b2J\u202e\u200b\udb40\udc41\u007f";
        String codes = "\\u009b2J\\u202e\\u200b\\udb40\\udc41\\u007f";
        List<LeaseInfo> locks =
                List.of(new LeaseInfo(LeaseInfo.Kind.LOCK, hostile, hostile, 1, SINCE, SINCE.plusSeconds(1)));
        assertThat(LocksTable.of(locks)).contains(codes + "  lock  " + codes);
        assertThat(LocksJson.of(locks)).contains("\"name\": \"" + codes + "\"", "\"holder\": \"" + codes + "\"");
    }

    @Test
    void hasOnlyAHeaderForNone() {
        assertThat(LocksTable.of(List.of())).isEqualTo("NAME  KIND  HOLDER  FENCE  SINCE  UNTIL");
        assertThat(LocksJson.of(List.of())).isEqualTo("[]");
    }

    @Test
    void writesStableJson() {
        assertThat(LocksJson.of(LOCKS)).isEqualTo("""
                [
                  {
                    "name": "a",
                    "kind": "lock",
                    "holder": "web1:4711",
                    "fence": 1700000000000001,
                    "since": "2030-01-02T03:04:05.000Z",
                    "until": "2030-01-02T03:04:35.250Z"
                  },
                  {
                    "name": "größe\\n\\u001b[2J",
                    "kind": "reader",
                    "holder": "\\"x\\" <y>",
                    "fence": 7,
                    "since": "2030-01-02T03:04:05.000Z",
                    "until": "2030-01-02T03:04:06.000Z"
                  }
                ]""");
    }

    @Test
    void joinsTheLinesOfAMessage() {
        assertThat(OneLine.message(" ERROR: no\n  Position: 15\r\n")).isEqualTo("ERROR: no Position: 15");
        assertThat(OneLine.message("Table \"X\" not found; SQL statement:\nSELECT *\n FROM x [42104-252] (state)"))
                .isEqualTo("Table \"X\" not found [42104-252] (state)");
    }
}
