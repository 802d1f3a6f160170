/** The browser in which the console and the site are tried. */
package dev.dibs.browser;
