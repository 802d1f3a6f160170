/** Tests of the demo, on repositories made for it. */
package dev.dibs.demo;
