package dev.dibs.spring;

import dev.dibs.NotAcquiredException;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers a request that finds its lock busy. It names neither the lock nor its holder: both are for the application's own people. It
 * comes before an advice without an order, which may handle every exception.
 */
@RestControllerAdvice
@Order(0)
final class BusyAdvice {

    private static final int UNAVAILABLE = 503;

    private final HttpStatusCode status;

    BusyAdvice(int status) {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException(
                    "dibs.busy-status must be from 400 to 599, such as 409 or 503, and is " + status);
        }
        this.status = HttpStatusCode.valueOf(status);
    }

    @ExceptionHandler(NotAcquiredException.class)
    ResponseEntity<ProblemDetail> busy() {
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (status.value() == UNAVAILABLE) {
            answer.header(HttpHeaders.RETRY_AFTER, "1");
        }
        return answer.body(ProblemDetail.forStatusAndDetail(status, "Another request is at work here. Try again."));
    }
}
