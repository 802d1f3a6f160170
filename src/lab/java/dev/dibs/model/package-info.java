/** Runs the model checker on the protocols in {@code docs/model/}; {@link dev.dibs.model.LeaseModelTest} is the entry point. */
package dev.dibs.model;
