/**
 * Named jobs over the rows of a table, and their switches; {@code Dibs.run(..)} is the entry point.
 *
 * <pre>{@code
 * RowClaims<Image> images = dibs.claims("image").key("id").ranges("resize").build(Image::read);
 * RunWorkers<Image> workers = dibs.run("resize").over(images).batch(10).threads(4)
 *         .work(image -> resize(image))
 *         .start();                                         // the same on every node: they share the rows
 * workers.await();
 * dibs.run("resize").pause("the disk is full");             // from any process
 * }</pre>
 */
@NullMarked
package dev.dibs.runs;

import org.jspecify.annotations.NullMarked;
