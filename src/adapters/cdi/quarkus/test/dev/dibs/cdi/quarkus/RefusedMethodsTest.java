package dev.dibs.cdi.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.dibs.cdi.Locked;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Quarkus does not build an application with methods that cannot keep the promise of their annotation, and says why. */
@Tag("flow")
class RefusedMethodsTest {

    @RegisterExtension
    static final QuarkusUnitTest BUILD = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Refused.class))
            .overrideConfigKey("refused", "true")
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining(
                            "Refused.notSupported(): its transaction must begin and end with the method")
                    .hasStackTraceContaining("Refused.uni(): its result is computed after the method has returned")
                    .hasStackTraceContaining("Refused.multi(): its result is computed after the method has returned")
                    .hasStackTraceContaining("Refused.future(): its result is computed after the method has returned")
                    .hasStackTraceContaining("Refused.soon(): 'soon' is no duration"));

    /** Not in the application of the other tests. */
    @ApplicationScoped
    @IfBuildProperty(name = "refused", stringValue = "true")
    static class Refused {

        @Locked("x")
        @Transactional(TxType.NOT_SUPPORTED)
        public void notSupported() {}

        @Locked("x")
        public Uni<String> uni() {
            return Uni.createFrom().item("");
        }

        @Locked("x")
        public Multi<String> multi() {
            return Multi.createFrom().item("");
        }

        @Locked("x")
        public CompletableFuture<String> future() {
            return new CompletableFuture<>();
        }

        @Locked(value = "x", waitFor = "soon")
        public void soon() {}
    }

    @Test
    void theApplicationIsNotBuilt() {
        fail("It was built");
    }
}
