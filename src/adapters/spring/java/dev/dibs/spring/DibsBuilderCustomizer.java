package dev.dibs.spring;

import dev.dibs.DibsBuilder;

/** A bean of this type changes the settings of the bean {@code Dibs} before it is built, after the properties {@code dibs.*}. */
@FunctionalInterface
public interface DibsBuilderCustomizer {

    /** Changes the settings. Called once, at the start. */
    void customize(DibsBuilder builder);
}
