// Asks the browser's own language model from the worker, through the page's port; see
// browser-model.js. src/platform/in_page.rs calls it as it calls model-host.js.

/** The port to the page; `null` if the model is not in use. */
let port = null;
/** The next request's number. */
let next = 0;
/** By number, what takes the page's words. */
const waiting = new Map();

/** Takes the port of a started model, or `null` to give it up. */
export function use(given) {
  port?.close();
  port = given;
  for (const listen of waiting.values()) listen({ error: { message: "the model was given up" } });
  if (port) port.onmessage = ({ data }) => waiting.get(data.id)?.(data);
}

const failed = (status, type, message) => ({
  status,
  body: JSON.stringify({ error: { code: status, type, message } }),
});

/** The browser's exceptions as servers answer them. */
function failure({ name, message }) {
  switch (name) {
    case "QuotaExceededError":
      return failed(400, "exceed_context_size_error", `exceeds the context size: ${message}`);
    case "NotSupportedError":
    case "NotAllowedError":
    case "SyntaxError":
      return failed(400, "invalid_request_error", message);
    default:
      return failed(500, "server_error", `the browser's model stopped: ${message}`);
  }
}

/**
 * Answers a chat request in OpenAI's format, as a stream: `head` gets the status code, `piece` the body
 * as text. Aborting `signal` stops the model.
 */
export function answer(_isChat, body, signal, head, piece) {
  const refuse = ({ status, body }) => {
    head(status);
    piece(body);
  };
  if (!port) {
    refuse(failed(404, "not_found_error", "the browser's model is not in use"));
    return Promise.resolve();
  }
  const id = next++;
  const { messages } = JSON.parse(body);
  let began = false;
  const chunk = (content) => {
    if (!began) head(200);
    began = true;
    piece(`data: ${JSON.stringify(content)}\n\n`);
  };
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      waiting.delete(id);
      settle(value);
    };
    waiting.set(id, ({ piece: text, usage, error }) => {
      if (signal.aborted) return end(resolve);
      if (text !== undefined) return chunk({ choices: [{ index: 0, delta: { content: text } }] });
      if (error && began) return end(reject, new Error(error.message));
      if (error) refuse(failure(error));
      if (usage) {
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
        // A browser that counts nothing has no usage to tell.
        if (usage.prompt_tokens > 0) chunk({ choices: [], usage });
        piece("data: [DONE]\n\n");
      }
      end(resolve);
    });
    signal.addEventListener("abort", () => {
      port?.postMessage({ id });
      end(resolve);
    });
    port.postMessage({ id, messages });
  });
}
