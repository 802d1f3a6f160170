package dev.dibs.spring;

import javax.sql.DataSource;

/** The data source of the bean that {@link DibsAutoConfiguration} makes. There is none if the application makes its own Dibs. */
record DibsDataSource(DataSource dataSource) {}
