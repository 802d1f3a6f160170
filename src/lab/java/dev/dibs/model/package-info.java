/** Runs the model checker on the protocols in {@code src/lab/model/}; {@link dev.dibs.model.ModelTest} is the entry point. */
package dev.dibs.model;
