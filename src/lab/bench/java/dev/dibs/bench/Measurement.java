package dev.dibs.bench;

import java.util.ArrayList;
import java.util.List;

/** What is measured, and a section of the report about it. */
abstract class Measurement {

    final Settings settings;
    final Report report;
    final List<List<String>> rows = new ArrayList<>();

    Measurement(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }
}
