package dev.dibs.servlet.app;

import dev.dibs.servlet.LockFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** The filters that an application adds in Java. */
final class AddedFilters implements ServletContainerInitializer {

    @Override
    public void onStartup(Set<Class<?>> classes, ServletContext context) {
        LockFilter filter = LockFilter.builder(request -> request.getParameter("customer"))
                .kind("built")
                .waitUpTo(Duration.ofMinutes(1))
                .busyStatus(429)
                .retryAfter(Duration.ofSeconds(9))
                .build();
        FilterRegistration.Dynamic added = context.addFilter("function", filter);
        added.setAsyncSupported(true);
        added.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/function/*");
    }
}
