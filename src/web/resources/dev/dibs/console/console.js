/* Keeps a page up to date: asks for its inner part and changes what differs, so that focus, typed text and open details stay. */
"use strict";
(() => {
  const page = document.getElementById("page");
  if (!page || !page.hasAttribute("data-live")) {
    return;
  }
  const OFTEN = 2000;
  const RARELY = 30000;
  const PATIENCE = 15000;
  const news = document.getElementById("news");
  let pause = OFTEN;
  let timer = 0;
  let asking = false;
  let over = false;

  const key = (node) => (node.nodeType === Node.ELEMENT_NODE && (node.getAttribute("data-key") || node.id)) || "";

  const alike = (one, other) =>
    one.nodeType === other.nodeType && one.nodeName === other.nodeName && key(one) === key(other);

  function copyAttributes(from, to) {
    for (const attribute of Array.from(to.attributes)) {
      if (attribute.name === "open" && to.nodeName === "DETAILS") {
        continue;
      }
      if (!from.hasAttribute(attribute.name)) {
        to.removeAttribute(attribute.name);
      }
    }
    for (const attribute of Array.from(from.attributes)) {
      if (to.getAttribute(attribute.name) !== attribute.value) {
        to.setAttribute(attribute.name, attribute.value);
      }
    }
  }

  function copyChildren(from, to) {
    const wanted = new Set(Array.from(from.children, key).filter((k) => k));
    const known = new Map();
    for (const child of Array.from(to.children)) {
      const k = key(child);
      if (k && wanted.has(k) && !known.has(k)) {
        known.set(k, child);
      } else if (k) {
        child.remove();
      }
    }
    let at = to.firstChild;
    for (const want of Array.from(from.childNodes)) {
      const k = key(want);
      const have = k ? known.get(k) : at;
      if (have && alike(have, want)) {
        if (have === at) {
          at = at.nextSibling;
        } else {
          to.insertBefore(have, at);
        }
        known.delete(k);
        copy(want, have);
      } else {
        to.insertBefore(document.importNode(want, true), at);
      }
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  function copy(from, to) {
    if (to.nodeType !== Node.ELEMENT_NODE) {
      if (to.nodeValue !== from.nodeValue) {
        to.nodeValue = from.nodeValue;
      }
      return;
    }
    copyAttributes(from, to);
    copyChildren(from, to);
  }

  function show(text) {
    const fresh = new DOMParser().parseFromString("<div>" + text + "</div>", "text/html").body.firstElementChild;
    const focused = document.activeElement;
    copyChildren(fresh, page);
    if (focused && focused !== document.activeElement && focused.isConnected) {
      focused.focus({ preventScroll: true });
    }
  }

  function say(text) {
    if (news.textContent !== text) {
      news.textContent = text;
    }
  }

  async function ask() {
    const url = new URL(location.href);
    url.hash = "";
    url.searchParams.set("fragment", "1");
    const response = await fetch(url, {
      credentials: "same-origin",
      redirect: "error",
      headers: { Accept: "text/html" },
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.status === 401 || response.status === 403) {
      over = true;
      say("You are not logged in any more. Reload the page.");
      return;
    }
    if (!response.ok) {
      throw new Error("status " + response.status);
    }
    show(await response.text());
    pause = OFTEN;
    say("");
  }

  async function turn() {
    timer = 0;
    if (document.hidden || asking || over) {
      return;
    }
    asking = true;
    try {
      await ask();
    } catch (e) {
      pause = Math.min(RARELY, pause * 2);
      say("The page cannot be updated (" + e.message + "). The console tries again.");
    } finally {
      asking = false;
      plan(pause);
    }
  }

  function plan(millis) {
    if (!document.hidden && !over && !timer) {
      timer = setTimeout(turn, millis);
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(timer);
      timer = 0;
    } else if (!asking) {
      plan(0);
    }
  });
  plan(OFTEN);
})();
