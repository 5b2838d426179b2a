// The worker of converter.mjs.
import { run } from "./converter.mjs";

onmessage = async ({ data: { files, options } }) => {
  const onProgress = (...progress) => postMessage({ progress });
  try {
    postMessage({ result: await run(files, { ...options, onProgress }) });
  } catch ({ message }) {
    postMessage({ error: message });
  }
};
