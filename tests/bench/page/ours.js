// The shipped worker, with its memory tracked.
import "./memory.js";

await import(new URL(location.href).searchParams.get("load"));
