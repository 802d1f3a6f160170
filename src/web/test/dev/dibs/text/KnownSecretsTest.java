package dev.dibs.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class KnownSecretsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://h/db?pwd=s3cr",
                "jdbc:oracle:thin:scott/s3cr@//h:1521/x",
                "u:s3cr@h/db",
                "jdbc:postgresql:u:s3cr@h/db"
            })
    void masksUrlsThatAreQuoted(String url) {
        KnownSecrets secrets = new KnownSecrets();
        secrets.learn(url, null);
        assertThat(secrets.mask("No suitable driver found for " + url))
                .startsWith("No suitable driver found for ")
                .contains("***")
                .doesNotContain("s3cr");
    }

    @Test
    void masksThePasswordWhereverItShowsUp() {
        KnownSecrets secrets = new KnownSecrets();
        secrets.learn("jdbc:x://h?password=p%40ssword", "geheimnis");
        assertThat(secrets.mask("tried geheimnis, p%40ssword and p@ssword")).isEqualTo("tried ***, *** and ***");
    }

    @Test
    void leavesShortWordsAloneThatWouldBlotOutTheMessage() {
        KnownSecrets secrets = new KnownSecrets();
        secrets.learn("jdbc:h2:x;PASSWORD=dibs", "dibs");
        assertThat(secrets.mask("run 'dibs init' on jdbc:h2:x;PASSWORD=dibs"))
                .isEqualTo("run 'dibs init' on jdbc:h2:x;PASSWORD=***");
    }
}
