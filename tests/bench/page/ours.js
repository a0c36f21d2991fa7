// The site's own worker, as it is shipped, with its memory in sight.
import "./memory.js";

await import(new URL(location.href).searchParams.get("load"));
