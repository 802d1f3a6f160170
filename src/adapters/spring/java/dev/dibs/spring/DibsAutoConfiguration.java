package dev.dibs.spring;

import dev.dibs.Dibs;
import javax.sql.DataSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * A bean {@code Dibs} over the application's data source. There is none if the application has one of its own, or no data source. It is
 * built after Flyway, Liquibase and Spring's own scripts have run, and closed before the data source.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@EnableConfigurationProperties(DibsProperties.class)
@ImportRuntimeHints(DibsRuntimeHints.class)
@Import(DibsAutoConfiguration.ProxyCreator.class)
final class DibsAutoConfiguration {

    /** Also without a data source: else an annotated method would run without its lock. */
    @Bean
    static ExclusiveMethods dibsExclusiveMethods(ConfigurableListableBeanFactory beans) {
        return new ExclusiveMethods(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ExclusiveAdvisor dibsExclusiveAdvisor(ExclusiveMethods methods) {
        return new ExclusiveAdvisor(new ExclusiveInterceptor(methods));
    }

    /** What makes the proxies. An application with transactions has it anyway. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    /** Over the only data source, or the primary one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(DataSource.class)
    @ConditionalOnMissingBean(Dibs.class)
    static final class OverDataSource {

        @Bean
        DibsDataSource dibsDataSource(ObjectProvider<DataSource> dataSources, ConfigurableListableBeanFactory beans) {
            String[] names = beans.getBeanNamesForType(DataSource.class);
            DataSource dataSource = dataSources.getIfUnique();
            if (dataSource == null) {
                throw new IllegalStateException("There are several data sources, and none of them is primary: "
                        + String.join(", ", names)
                        + ". Mark one with @Primary, or define a bean over the one that has the tables of Dibs:"
                        + " @Bean Dibs dibs(@Qualifier(\"" + names[0]
                        + "\") DataSource dataSource) { return Dibs.on(dataSource); }");
            }
            return new DibsDataSource(DataSources.ofDibs(dataSource));
        }

        @Bean
        @DependsOnDatabaseInitialization
        Dibs dibs(
                DibsDataSource dataSource,
                DibsProperties properties,
                ObjectProvider<DibsBuilderCustomizer> customizers) {
            return DibsStart.dibs(dataSource.dataSource(), properties, customizers.orderedStream());
        }
    }
}
