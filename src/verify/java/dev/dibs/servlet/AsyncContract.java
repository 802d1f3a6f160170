package dev.dibs.servlet;

import static dev.dibs.servlet.WebApplication.PATIENCE;
import static dev.dibs.servlet.WebApplication.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lock of a request that goes on after its servlet has returned. */
interface AsyncContract extends LockFilterContract {

    @ParameterizedTest
    @CsvSource({"async, done", "async-again, done", "async-dispatch, refuse:"})
    default void anAsyncRequestHoldsTheLockUntilItCompletes(String what, String answer) throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/refuse/a?do=" + what + "&desk=" + desk);
        application().awaitInside(desk, 1);
        assertThat(visitor.get("/refuse/a?do=lease").statusCode()).isEqualTo(409);
        application().letGo(desk);
        assertThat(first.get().body()).startsWith(answer);
        awaitFree(visitor, "/refuse/a");
        assertThat(application().report(desk)).isEqualTo("0 1 1");
    }

    @Test
    default void anAsyncTimeoutFreesTheLock() throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        assertThat(visitor.get("/refuse/a?do=async-too-long").statusCode()).isEqualTo(500);
        awaitFree(visitor, "/refuse/a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"async-error", "async-dispatch-error"})
    default void anAsyncExceptionFreesTheLock(String what) throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.askOnce("/refuse/a?do=" + what + "&desk=" + desk);
        application().awaitInside(desk, 1);
        application().letGo(desk);
        // The answer depends on the container: Tomcat cuts it off.
        await().atMost(PATIENCE).until(first::isDone);
        awaitFree(visitor, "/refuse/a");
    }
}
