// The page that translates, inside the first page: as high as what it shows, in
// the same colours, and without a title of its own.
const frame = document.querySelector("iframe.translator");
const button = document.querySelector("button.translator");

function paint() {
  const dark = document.body.dataset.mdColorScheme === "slate";
  frame.contentDocument.documentElement.style.colorScheme = dark ? "dark" : "light";
}

function fit() {
  if (frame.contentDocument.URL === "about:blank") return;
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

function open() {
  button.remove();
  frame.hidden = false;
  frame.src = frame.dataset.src;
}
button.addEventListener("click", open);
// A phone, and who saves data, are asked first.
button.hidden = !matchMedia("(max-width: 40em)").matches && !navigator.connection?.saveData;
if (button.hidden) open();
