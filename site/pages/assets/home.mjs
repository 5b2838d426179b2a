// The page that translates, inside the first page: as high as what it shows, in
// the same colours, and without a title of its own.
const frame = document.querySelector("iframe.translator");

function paint() {
  const dark = document.body.dataset.mdColorScheme === "slate";
  frame.contentDocument.documentElement.style.colorScheme = dark ? "dark" : "light";
}

function fit() {
  const { documentElement, body } = frame.contentDocument;
  documentElement.style.overflow = "hidden";
  body.classList.add("inside");
  paint();
  new MutationObserver(paint).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  new ResizeObserver(() => {
    frame.style.height = `${Math.ceil(body.getBoundingClientRect().bottom + frame.contentWindow.scrollY)}px`;
  }).observe(body);
}
frame.addEventListener("load", fit);
if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.URL !== "about:blank") fit();
