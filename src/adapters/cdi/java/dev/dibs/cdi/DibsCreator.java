package dev.dibs.cdi;

import dev.dibs.Dibs;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.build.compatible.spi.Parameters;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanCreator;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanDisposer;

/** Makes and ends the bean {@code Dibs}. Called by the container alone. */
public final class DibsCreator implements SyntheticBeanCreator<Dibs>, SyntheticBeanDisposer<Dibs> {

    /** For the container. */
    public DibsCreator() {}

    @Override
    public Dibs create(Instance<Object> lookup, Parameters parameters) {
        return lookup.select(DibsStart.class).get().build();
    }

    @Override
    public void dispose(Dibs dibs, Instance<Object> lookup, Parameters parameters) {
        dibs.close();
    }
}
