// The page that translates is as high as what it shows.
const frame = document.querySelector("iframe.translator");
function fit() {
  const { documentElement, body } = frame.contentDocument;
  documentElement.style.overflow = "hidden";
  new ResizeObserver(() => {
    frame.style.height = `${Math.ceil(body.getBoundingClientRect().bottom + frame.contentWindow.scrollY)}px`;
  }).observe(body);
}
frame.addEventListener("load", fit);
if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.URL !== "about:blank") fit();
