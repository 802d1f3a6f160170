package dev.dibs.internal.sql.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.values.CountedText;
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
        "jdbc:sqlserver://h;keyVaultProviderClientKey=s3cr, jdbc:sqlserver://h;keyVaultProviderClientKey=***",
        "jdbc:mysql://h/db?pwd=s3cr, jdbc:mysql://h/db?pwd=***",
        "jdbc:oracle:thin:scott/s3cr@//h:1521/x, jdbc:oracle:thin:scott/***@//h:1521/x",
        "u:s3cr@h/db, u:***@h/db",
        "jdbc:postgresql:u:s3cr@h/db, jdbc:***@h/db",
        "jdbc:postgresql://h:5432/db?user=u, jdbc:postgresql://h:5432/db?user=u"
    })
    void masksUrls(String url, String masked) {
        assertThat(Secrets.maskUrl(url)).isEqualTo(masked);
    }

    @Test
    void masksUrlsThatNobodyHasAnnounced() {
        assertThat(Secrets.maskText("bad url \"jdbc:x://h?password=s3cr\", see u:p"))
                .isEqualTo("bad url \"jdbc:x://h?password=***\", see u:p");
        assertThat(Secrets.maskText("at jdbc:x://u:s3cr@h!")).isEqualTo("at jdbc:x://u:***@h!");
    }

    /** A driver's message about a wrong password follows a URL, or names the option. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "at jdbc:x://h?password=s3cr: FATAL: no entry | at jdbc:x://h?password=***: FATAL: no entry",
                "at jdbc:x://h?password=: FATAL: no entry | at jdbc:x://h?password=: FATAL: no entry",
                "at jdbc:x://h?password= FATAL: no entry | at jdbc:x://h?password= FATAL: no entry",
                "at jdbc:x://h?password= a.b.Refused: no entry | at jdbc:x://h?password= a.b.Refused: no entry",
                "password: FATAL: no entry for user \"u\" | password: FATAL: no entry for user \"u\"",
                "the url 'jdbc:x://h?password=' is refused | the url 'jdbc:x://h?password=' is refused",
                "the url \"jdbc:x://h?password=\", as it is \"so\" | the url \"jdbc:x://h?password=\", as it is \"so\"",
                "FATAL: password authentication failed for user \"u\" | FATAL: password authentication failed for user \"u\"",
                "password-based authentication, but no password was given | password-based authentication, but no password was given",
                "password='s3 cr' is refused | password=*** is refused",
                "password = s3cr is refused | password = *** is refused",
                "password= s3cr is refused | password= *** is refused",
                "password=s3:cr: refused | password=***: refused"
            })
    void changesNothingButThePassword(String message, String masked) {
        assertThat(Secrets.maskText(message)).isEqualTo(masked);
    }

    @Test
    void leavesOutTheStatementThatADriverRepeats() {
        assertThat(Secrets.masked(new SQLException("Not enough rights; SQL statement:\nUPDATE x\nSET y [90096-252]")))
                .isEqualTo("Not enough rights [90096-252]");
    }

    @Test
    void masksAValueWhoseEndHasBeenCutOff() {
        assertThat(Secrets.maskText("at jdbc:x:h;password={s3 cr")).isEqualTo("at jdbc:x:h;password=***");
        assertThat(Secrets.maskText("password=\"s3 cr")).isEqualTo("password=***");
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
                "token='a",
                "token=' ",
                "token= ",
                "token= a",
                "token=:",
                "token=: ",
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
}
