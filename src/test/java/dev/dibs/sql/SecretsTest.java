package dev.dibs.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class SecretsTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h/db?user=u&password=s3cr&ssl=true, jdbc:postgresql://h/db?user=u&password=***&ssl=true",
        "jdbc:postgresql://u:s3cr@h/db, jdbc:postgresql://u:***@h/db",
        "postgres://u:s3/c@r@h:5432/db, postgres://u:***@h:5432/db",
        "jdbc:h2:file:x;USER=u;PASSWORD=s3 cr;WRITE_DELAY=0, jdbc:h2:file:x;USER=u;PASSWORD=***;WRITE_DELAY=0",
        "jdbc:sqlserver://h:1;user=u;password={s3;cr};encrypt=false, jdbc:sqlserver://h:1;user=u;password=***;encrypt=false",
        "jdbc:mariadb://h/db?trustStorePassword=s3cr, jdbc:mariadb://h/db?trustStorePassword=***",
        "jdbc:mysql://h/db?pwd=s3cr, jdbc:mysql://h/db?pwd=***",
        "jdbc:oracle:thin:scott/s3cr@//h:1521/x, jdbc:oracle:thin:scott/***@//h:1521/x",
        "u:s3cr@h/db, u:***@h/db",
        "jdbc:postgresql:u:s3cr@h/db, jdbc:***@h/db",
        "jdbc:postgresql://h:5432/db?user=u, jdbc:postgresql://h:5432/db?user=u"
    })
    void masksUrls(String url, String masked) {
        assertThat(Secrets.maskUrl(url)).isEqualTo(masked);
        Secrets secrets = new Secrets();
        secrets.learn(url, null);
        assertThat(secrets.mask("No suitable driver found for " + url))
                .isEqualTo("No suitable driver found for " + masked);
    }

    @Test
    void masksUrlsThatNobodyHasAnnounced() {
        assertThat(new Secrets().mask("bad url \"jdbc:x://h?password=s3cr\", see u:p"))
                .isEqualTo("bad url \"jdbc:x://h?password=***\", see u:p");
        assertThat(new Secrets().mask("at jdbc:x://u:s3cr@h!")).isEqualTo("at jdbc:x://u:***@h!");
    }

    @Test
    void masksThePasswordWhereverItShowsUp() {
        Secrets secrets = new Secrets();
        secrets.learn("jdbc:x://h?password=p%40ssword", "geheimnis");
        assertThat(secrets.mask("tried geheimnis, p%40ssword and p@ssword")).isEqualTo("tried ***, *** and ***");
    }

    @Test
    void leavesShortWordsAloneThatWouldBlotOutTheMessage() {
        Secrets secrets = new Secrets();
        secrets.learn("jdbc:h2:x;PASSWORD=dibs", "dibs");
        assertThat(secrets.mask("run 'dibs init' on jdbc:h2:x;PASSWORD=dibs"))
                .isEqualTo("run 'dibs init' on jdbc:h2:x;PASSWORD=***");
    }

    @Test
    void leavesOutTheStatementThatADriverRepeats() {
        assertThat(Secrets.masked(new SQLException("Not enough rights; SQL statement:\nUPDATE x\nSET y [90096-252]")))
                .isEqualTo("Not enough rights [90096-252]");
    }

    @Test
    void masksAValueWhoseEndHasBeenCutOff() {
        assertThat(new Secrets().mask("at jdbc:x:h;password={s3 cr")).isEqualTo("at jdbc:x:h;password=***");
        assertThat(new Secrets().mask("password=\"s3 cr")).isEqualTo("password=***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token",
                "pass",
                "pwd-",
                "a",
                "a ",
                "a = ",
                "token=",
                "token={;",
                "token=\";",
                "{",
                "//",
                "//a:",
                "//a:@ ",
                "@",
                "jdbc:oracle:a:",
                "jdbc:oracle:",
                "; SQL statement:\n",
                "; SQL statement:\n [1",
                " [1-",
                "\n"
            })
    void looksAtEachCharacterOfAStrangersTextAFewTimes(String piece) {
        CountedText text = new CountedText(piece.repeat(20_000 / piece.length()));
        Secrets.maskText(text);
        Secrets.withoutStatement(text);
    }

    @Test
    void cutsALongMessageBehindAWord() {
        String message = "Bad key x " + "y".repeat(3_980) + " at postgres://u:s3cr" + "e".repeat(100) + "t@h/db";
        assertThat(Secrets.masked(new SQLException(message)))
                .startsWith("Bad key x yyy")
                .endsWith("yyy at ..");
        assertThat(Secrets.masked(new SQLException(
                        "Not enough rights; SQL statement:\nUPDATE " + "x".repeat(5_000) + " [90096-252]")))
                .isEqualTo("Not enough rights [90096-252]");
    }

    /** Fails when its characters have been looked at too often. */
    private static final class CountedText implements CharSequence {

        private static final long MOST_LOOKS = 80;

        private final String text;
        private long looks;

        CountedText(String text) {
            this.text = text;
        }

        private void count(int characters) {
            looks += characters;
            if (looks > MOST_LOOKS * text.length()) {
                throw new AssertionError("each character is looked at more than " + MOST_LOOKS + " times");
            }
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            count(1);
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            count(end - start);
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            count(text.length());
            return text;
        }
    }
}
