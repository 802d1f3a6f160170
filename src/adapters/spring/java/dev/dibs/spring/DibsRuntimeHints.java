package dev.dibs.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The statements of Dibs are files in its jar: a native image leaves such files out unless they are named. */
final class DibsRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/dibs/internal/sql/files/**");
    }
}
