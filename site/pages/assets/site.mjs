// The keyboard reaches what can be scrolled, and nothing that cannot.
const wide = ({ target }) => {
  if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
};
const observer = new ResizeObserver((entries) => entries.forEach(wide));
const watch = () => document.querySelectorAll(".md-typeset :is(pre > code, .md-typeset__scrollwrap)")
  .forEach((one) => observer.observe(one));
// The theme puts tables into boxes of that class.
new MutationObserver(watch).observe(document.querySelector("article"), { childList: true, subtree: true });
watch();
