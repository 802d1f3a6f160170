package dev.dibs.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
