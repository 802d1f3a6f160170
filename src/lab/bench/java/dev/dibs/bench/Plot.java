package dev.dibs.bench;

import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.svg.SVGGraphics2D;

/** Bars in groups, as an SVG. */
final class Plot {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 380;

    private final DefaultCategoryDataset bars = new DefaultCategoryDataset();
    private final String title;
    private final String unit;

    Plot(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    void bar(String group, String name, double value) {
        bars.addValue(value, name, group);
    }

    void write(Path file) throws IOException {
        JFreeChart chart = ChartFactory.createBarChart(title, null, unit, bars);
        chart.setBackgroundPaint(Color.WHITE);
        CategoryPlot plot = chart.getCategoryPlot();
        plot.setBackgroundPaint(Color.WHITE);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        plot.setOutlineVisible(false);
        BarRenderer renderer = (BarRenderer) plot.getRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator());
        renderer.setDefaultItemLabelsVisible(true);
        SVGGraphics2D svg = new SVGGraphics2D(WIDTH, HEIGHT);
        // Else the prefix begins with the clock, and every run writes another file.
        svg.setDefsKeyPrefix("plot");
        chart.draw(svg, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        Files.writeString(file, svg.getSVGElement() + "\n");
    }
}
