package dev.dibs.cdi;

import dev.dibs.Dibs;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.Messages;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.inject.build.compatible.spi.Synthesis;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticComponents;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import jakarta.inject.Singleton;

/**
 * Adds a bean {@code Dibs} unless the application has one, and refuses methods that cannot keep the promise of their annotation. Called by
 * the container alone: at the start, or when Quarkus builds the application.
 */
public final class DibsExtension implements BuildCompatibleExtension {

    private boolean given;

    /** For the container. */
    public DibsExtension() {}

    /** Called for the application's beans of this type. */
    @Registration(types = Dibs.class)
    public void backOff(BeanInfo bean, Messages messages) {
        if (bean.qualifiers().stream()
                .anyMatch(qualifier -> qualifier.name().equals("jakarta.enterprise.inject.Default"))) {
            given = true;
        }
        if (bean.scope().annotation().name().equals(Dependent.class.getName())) {
            messages.error(
                    "The bean Dibs has no scope, so each injection would make another one. Add @Singleton", bean);
        }
    }

    /** Called for each bean. */
    @Registration(types = Object.class)
    public void check(BeanInfo bean, Messages messages) {
        if (bean.isClassBean()) {
            for (MethodInfo method : bean.declaringClass().methods()) {
                MethodRules.check(bean.declaringClass(), method).ifPresent(why -> messages.error(why, bean));
            }
        }
    }

    /** Called after all beans are known. */
    @Synthesis
    public void add(SyntheticComponents components) {
        if (!given) {
            components
                    .addBean(Dibs.class)
                    .type(Dibs.class)
                    .scope(Singleton.class)
                    .createWith(DibsCreator.class)
                    .disposeWith(DibsCreator.class);
        }
    }
}
