package dev.dibs.cdi;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the data source that has the tables of Dibs, if it is not the application's default one:
 *
 * <pre>{@code
 * @Produces
 * @DibsDataSource
 * DataSource ofDibs(@Named("orders") DataSource orders) {
 *     return orders;
 * }
 * }</pre>
 */
@Documented
@Qualifier
@Target({ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface DibsDataSource {

    /** For {@code Instance.select}. */
    final class Literal extends AnnotationLiteral<DibsDataSource> implements DibsDataSource {

        private static final long serialVersionUID = 1;

        /** The only one that is needed. */
        public static final Literal INSTANCE = new Literal();

        private Literal() {}
    }
}
