package dev.dibs.spring;

import static dev.dibs.spring.Applications.freshH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.junit.Closing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.MapPropertySource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** A web request that finds its lock busy. */
@Tag("flow")
class BusyRequestTest extends Closing {

    static class Orders {
        @Locked("order")
        void ship() {}
    }

    @RestController
    static class Requests {

        private final Orders orders;

        Requests(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/ship")
        String ship() {
            orders.ship();
            return "shipped";
        }
    }

    @EnableAutoConfiguration
    @EnableWebMvc
    static class Shop {
        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        Requests requests(Orders orders) {
            return new Requests(orders);
        }
    }

    /** As many applications have one. */
    @RestControllerAdvice
    static class AnyError {
        @ExceptionHandler
        ResponseEntity<String> any(Exception e) {
            return ResponseEntity.internalServerError().body("an error");
        }
    }

    // That of the page.
    @RestControllerAdvice
    static class Busy {

        @ExceptionHandler
        ResponseEntity<ProblemDetail> busy(NotAcquiredException busy) {
            ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                    HttpStatus.SERVICE_UNAVAILABLE, "This order is being changed. Try again.");
            return ResponseEntity.of(problem).header("Retry-After", "1").build();
        }
    }

    private static AnnotationConfigWebApplicationContext start(List<Class<?>> classes, String... settings) {
        Map<String, Object> properties = new HashMap<>(Applications.DEFAULTS);
        properties.put("spring.autoconfigure.exclude", Boot.JPA);
        for (String setting : Stream.concat(Stream.of(freshH2(), "--dibs.tables=create"), Stream.of(settings))
                .toList()) {
            String[] parts = setting.substring(2).split("=", 2);
            properties.put(parts[0], parts[1]);
        }
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.setServletContext(new MockServletContext());
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("settings", properties));
        context.register(Shop.class);
        classes.forEach(context::register);
        context.refresh();
        return context;
    }

    /** The answer to a browser, while another process has the lock. */
    private static MockHttpServletResponse whileBusy(AnnotationConfigWebApplicationContext context) throws Exception {
        try (Lease ignored =
                context.getBean(Dibs.class).lock("order").tryAcquire().orElseThrow()) {
            return answer(context);
        }
    }

    private static MockHttpServletResponse answer(AnnotationConfigWebApplicationContext context) throws Exception {
        return MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(MockMvcRequestBuilders.get("/ship").header("Accept", "text/html"))
                .andReturn()
                .getResponse();
    }

    @Test
    void withoutThePropertyTheApplicationHandlesIt() throws Exception {
        try (AnnotationConfigWebApplicationContext context = start(List.of())) {
            assertThatThrownBy(() -> whileBusy(context)).hasCauseInstanceOf(NotAcquiredException.class);
            assertThat(answer(context).getContentAsString()).isEqualTo("shipped");
        }
        AnnotationConfigWebApplicationContext context = closing(start(List.of(AnyError.class)));
        assertThat(whileBusy(context).getContentAsString()).isEqualTo("an error");
    }

    @Test
    void withThePropertyItIsThatStatus() throws Exception {
        try (AnnotationConfigWebApplicationContext context = start(List.of(AnyError.class), "--dibs.busy-status=409")) {
            MockHttpServletResponse busy = whileBusy(context);
            assertThat(busy.getStatus()).isEqualTo(409);
            assertThat(busy.getContentType()).isEqualTo("application/problem+json");
            assertThat(busy.getHeader("Retry-After")).isNull();
            assertThat(busy.getContentAsString())
                    .contains("\"status\":409", "\"title\":\"Conflict\"", "Try again")
                    .doesNotContain("\"order\"");
            assertThat(answer(context).getContentAsString()).isEqualTo("shipped");
        }
        AnnotationConfigWebApplicationContext context = closing(start(List.of(), "--dibs.busy-status=503"));
        MockHttpServletResponse busy = whileBusy(context);
        assertThat(busy.getStatus()).isEqualTo(503);
        assertThat(busy.getHeader("Retry-After")).isEqualTo("1");
    }

    @Test
    void aStatusThatIsNoErrorIsRefusedAtTheStart() {
        assertThatThrownBy(() -> start(List.of(), "--dibs.busy-status=200"))
                .rootCause()
                .hasMessage("dibs.busy-status must be from 400 to 599, such as 409 or 503, and is 200");
    }

    @Test
    void theHandlerOfThePageAnswers() throws Exception {
        String page = Files.readString(Path.of("docs", "reference", "spring.md"));
        String test = Files.readString(
                Path.of("src", "adapters", "spring", "test", "dev", "dibs", "spring", "BusyRequestTest.java"));
        String handler = test.substring(test.indexOf("// That of the page.\n"), test.indexOf("    private static"));
        assertThat(page)
                .contains(handler.lines()
                        .skip(1)
                        .map(line -> line.replaceFirst("^ {4}", "").replace("static class", "class"))
                        .collect(Collectors.joining("\n"))
                        .strip());
        AnnotationConfigWebApplicationContext context = closing(start(List.of(Busy.class)));
        MockHttpServletResponse busy = whileBusy(context);
        assertThat(busy.getStatus()).isEqualTo(503);
        assertThat(busy.getContentType()).isEqualTo("application/problem+json");
        assertThat(busy.getHeader("Retry-After")).isEqualTo("1");
    }
}
