package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PrometheusTextTest {

    @Test
    void aNameWithQuotesStaysInItsLabel() {
        PrometheusText text = new PrometheusText();
        text.begin("dibs_run_rows_done", "gauge", "Rows that are completed");
        text.sample("dibs_run_rows_done", 2, "run", "a\"} 1\n\\b", "state", "running");
        assertThat(text).hasToString("""
                # HELP dibs_run_rows_done Rows that are completed
                # TYPE dibs_run_rows_done gauge
                dibs_run_rows_done{run="a\\"} 1\\n\\\\b",state="running"} 2.0
                """);
    }
}
