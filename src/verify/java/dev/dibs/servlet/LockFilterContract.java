package dev.dibs.servlet;

import static dev.dibs.servlet.WebApplication.PATIENCE;
import static dev.dibs.servlet.WebApplication.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One request at a time per key, in any container. */
interface LockFilterContract {

    WebApplication application();

    default String status(HttpResponse<String> answer) {
        return answer.statusCode() + " "
                + answer.headers().firstValue("Retry-After").orElse("-");
    }

    /** The name of the lock under which such a request is served. */
    default String lockOf(Visitor visitor, String path) throws Exception {
        HttpResponse<String> answer = visitor.get(path + (path.contains("?") ? "&" : "?") + "do=lease");
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }

    default void awaitFree(Visitor visitor, String path) {
        await().atMost(PATIENCE).until(() -> visitor.get(path + "?do=lease").statusCode() == 200);
    }

    @Test
    default void aSecondRequestForTheKeyIsRefused() throws Exception {
        Visitor one = application().customer(fresh("customer"));
        Visitor other = application().customer(fresh("customer"));
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = one.ask("/refuse/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 1);
        CompletableFuture<HttpResponse<String>> second = other.ask("/refuse/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 2);
        assertThat(status(one.get("/refuse/b?do=lease"))).isEqualTo("409 1");
        assertThat(status(one.get("/later/b?do=lease"))).as("of the same kind").isEqualTo("503 7");
        assertThat(one.get("/refuse/b?do=lease").headers().firstValue("Cache-Control"))
                .hasValue("no-store");
        assertThat(one.get("/digest/b?do=lease").statusCode())
                .as("of another kind")
                .isEqualTo(200);
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("done");
        assertThat(second.get().body()).isEqualTo("done");
        assertThat(application().report(desk)).isEqualTo("0 2 2");
        assertThat(lockOf(one, "/refuse/b")).startsWith("refuse:customer");
    }

    @Test
    default void aRefusalShowsTheApplicationsPage() throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/locked/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 1);
        HttpResponse<String> refused = visitor.get("/locked/a?do=lease");
        assertThat(status(refused)).isEqualTo("423 1");
        assertThat(refused.body()).as("the page for it, which is not locked").isEqualTo("none");
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("done");
    }

    @Test
    default void aWaitingRequestIsServedWhenTheLockIsFree() throws Exception {
        String customer = fresh("customer");
        Visitor visitor = application().customer(customer);
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/wait/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 1);
        CompletableFuture<HttpResponse<String>> waits = visitor.ask("/wait/a?do=lease");
        assertThat(status(visitor.get("/briefly/a?do=lease"))).isEqualTo("409 1");
        assertThat(waits).isNotDone();
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("done");
        assertThat(waits.get().body()).isEqualTo("wait:" + customer);
    }

    @Test
    default void requestsOfOneKeyNeverOverlap() throws Exception {
        String desk = fresh("desk");
        Visitor visitor = application().customer(fresh("customer"));
        List<CompletableFuture<HttpResponse<String>>> asked = IntStream.range(0, 100)
                .mapToObj(i -> visitor.ask("/wait/a?do=brief&desk=" + desk))
                .toList();
        for (CompletableFuture<HttpResponse<String>> request : asked) {
            assertThat(request.get().body()).isEqualTo("done");
        }
        assertThat(application().report(desk)).isEqualTo("0 1 100");
    }

    @Test
    default void withoutAKeyItIsRefusedOrPasses() throws Exception {
        assertThat(status(application().visitor().get("/refuse/a?do=lease"))).isEqualTo("400 -");
        assertThat(status(application().visitor().get("/attribute/a?do=lease"))).isEqualTo("400 -");
        assertThat(status(application().visitor().get("/user/a?do=lease"))).isEqualTo("400 -");
        assertThat(status(application().visitor().get("/path?do=lease"))).isEqualTo("400 -");
        assertThat(status(application().visitor().get("/function/a?do=lease"))).isEqualTo("400 -");
        assertThat(status(application().visitor().get("/function/a?do=lease&customer=")))
                .isEqualTo("400 -");
        assertThat(lockOf(application().visitor(), "/session/a")).isEqualTo("none");
    }

    @Test
    default void theAnswerAndTheLogNameTheKeyThatIsMissing() throws Exception {
        Visitor visitor = application().visitor();
        for (int i = 0; i < 2; i++) {
            assertThat(visitor.get("/later/a?do=lease").body()).contains("The request has no header X-Customer");
        }
        assertThat(visitor.get("/attribute/a?do=lease").body()).contains("no attribute customer in its session");
        assertThat(visitor.get("/user/a?do=lease").body()).contains("no authenticated user");
        assertThat(visitor.get("/path?do=lease").body()).contains("no part 2 in its path");
        assertThat(visitor.get("/function/a?do=lease").body()).contains("The request has no key");
        String warning = "The filter for 'attribute' answers 400: The request has no attribute customer in its session";
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(application().log()).containsOnlyOnce(warning));
    }

    @Test
    default void aSessionHasALockThatDoesNotTellItsId() throws Exception {
        Visitor visitor = application().visitor();
        Visitor other = application().visitor();
        String id = visitor.get("/session/a?do=login&customer=7").body();
        other.get("/session/a?do=login&customer=8");
        assertThat(lockOf(visitor, "/session/a")).matches("session:#[\\w-]{43}").doesNotContain(id);
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/session/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 1);
        assertThat(visitor.get("/session/a?do=lease").statusCode()).isEqualTo(409);
        assertThat(other.get("/session/a?do=lease").statusCode()).isEqualTo(200);
        assertThat(visitor.get("/free?do=locks").body())
                .contains("session:#", "node-7")
                .doesNotContain(id);
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("done");
        assertThat(lockOf(visitor, "/attribute/a")).isEqualTo("attribute:7");
    }

    @Test
    default void keysComeFromWhereItSays() throws Exception {
        Visitor visitor = application().visitor("Authorization", "Bearer of-secrets", "X-Customer", "7");
        assertThat(lockOf(visitor, "/path/7/x")).isEqualTo("path:7");
        assertThat(lockOf(visitor, "/path//%37")).as("the same").isEqualTo("path:7");
        assertThat(lockOf(visitor, "/function/a?customer=7")).isEqualTo("built:7");
        assertThat(lockOf(visitor, "/secret/a")).matches("secret:#[\\w-]{43}");
        assertThat(lockOf(visitor, "/digest/a")).matches("digest:#[\\w-]{43}");
    }

    @Test
    default void hostileKeysAreDigested() throws Exception {
        Visitor visitor = application().visitor();
        List<String> locks = new ArrayList<>();
        for (String key : List.of("%00", "a%0Ab", "%0D", "x".repeat(101), "x".repeat(5000), "%23a", "%C2%85")) {
            String lock = lockOf(visitor, "/function/a?customer=" + key);
            assertThat(lock).as(key).matches("built:#[\\w-]{43}");
            locks.add(lock);
        }
        assertThat(locks).doesNotHaveDuplicates();
        assertThat(lockOf(visitor, "/function/a?customer=" + "x".repeat(100))).isEqualTo("built:" + "x".repeat(100));
        assertThat(lockOf(visitor, "/function/a?customer=%27%3B--%20%3Cb%3E%F0%9F%98%80"))
                .isEqualTo("built:';-- <b>\uD83D\uDE00");
    }

    @Test
    default void onlyTheMethodsThatAreNamedAreLocked() throws Exception {
        String customer = fresh("customer");
        Visitor visitor = application().customer(customer);
        assertThat(lockOf(visitor, "/post/a")).isEqualTo("none");
        assertThat(visitor.post("/post/a?do=lease").body()).isEqualTo("post:" + customer);
    }

    @Test
    default void afterAnExceptionItIsFree() throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        assertThat(visitor.get("/refuse/a?do=error").statusCode()).isEqualTo(500);
        awaitFree(visitor, "/refuse/a");
    }

    @Test
    default void aForwardedRequestIsPartOfTheFirst() throws Exception {
        String customer = fresh("customer");
        Visitor visitor = application().customer(customer);
        assertThat(visitor.get("/refuse/a?do=forward").body()).isEqualTo("refuse:" + customer);
    }

    @Test
    default void oneFilterInAnother() throws Exception {
        String customer = fresh("customer");
        Visitor visitor = application().customer(customer);
        String desk = fresh("desk");
        assertThat(lockOf(visitor, "/both/a")).as("the inner one").isEqualTo("refuse:" + customer);
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/both/a?do=stay&desk=" + desk);
        application().awaitInside(desk, 1);
        assertThat(visitor.get("/refuse/a?do=lease").statusCode()).isEqualTo(409);
        assertThat(visitor.get("/digest/a?do=lease").statusCode()).isEqualTo(409);
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("done");
        awaitFree(visitor, "/digest/a");
    }

    @Test
    default void aServletCanLearnThatItHasLostTheLock() throws Exception {
        String customer = fresh("customer");
        Visitor visitor = application().customer(customer);
        String desk = fresh("desk");
        CompletableFuture<HttpResponse<String>> first = visitor.ask("/refuse/a?do=lost&desk=" + desk);
        application().awaitInside(desk, 1);
        assertThat(visitor.get("/free?do=break&name=refuse:" + customer).body()).contains(customer);
        assertThat(lockOf(visitor, "/refuse/a")).isEqualTo("refuse:" + customer);
        application().letGo(desk);
        assertThat(first.get().body()).isEqualTo("lost");
        await().atMost(PATIENCE).until(() -> application().log().contains("While a request was served: "));
    }

    /** Within a class, tests run one after the other, so no other test misses the table. */
    @Test
    default void withoutItsTableNobodyIsServed() throws Exception {
        Visitor visitor = application().customer(fresh("customer"));
        application().execute("ALTER TABLE dibs_lock RENAME TO hidden");
        try {
            assertThat(status(visitor.get("/refuse/a?do=lease"))).isEqualTo("503 1");
            assertThat(status(visitor.get("/wait/a?do=lease"))).isEqualTo("503 1");
            await().atMost(PATIENCE).until(() -> application().log().contains("its lock could not be asked for"));
        } finally {
            application().execute("ALTER TABLE hidden RENAME TO dibs_lock");
        }
        awaitFree(visitor, "/refuse/a");
    }
}
