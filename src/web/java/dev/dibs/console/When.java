package dev.dibs.console;

/**
 * A time on a page.
 *
 * @param iso for programs
 * @param text for people, in UTC
 * @param ago how long ago, or how far ahead, at the moment of writing
 */
record When(String iso, String text, String ago) {}
