// What the theme leaves out for people who use a keyboard or a screen reader.

// Code and tables that scroll sideways can be reached. The theme undoes that where there is no mouse.
const reach = (region) => {
  if (region.scrollWidth > region.clientWidth && !region.hasAttribute("tabindex")) {
    region.tabIndex = 0;
  }
};
const sizes = new ResizeObserver((changes) => changes.forEach((change) => reach(change.target)));
const undone = new MutationObserver((changes) => changes.forEach((change) => reach(change.target)));
// The theme has put its boxes around the tables by then.
addEventListener("load", () => {
  for (const region of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    sizes.observe(region);
    undone.observe(region, { attributeFilter: ["tabindex"] });
  }
});

// The dialog has a name.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
