// Models that the user keeps in this browser, in the origin's private file system: a folder per
// model with its files `0`, `1`, … and `model.json`, which is written last, so that a folder without
// it is half written. Loaded in the worker when models are listed; src/platform/kept_models.rs calls it.

const ROOT = "models";
const ABOUT = "model.json";
/** Bytes that are written at a time; a cancel takes effect between two chunks. */
const CHUNK = 4 << 20;

async function root() {
  const origin = await navigator.storage.getDirectory();
  return origin.getDirectoryHandle(ROOT, { create: true });
}

/** Removes a model's folder; without one, does nothing. */
async function removeFrom(models, id) {
  try {
    await models.removeEntry(id, { recursive: true });
  } catch (error) {
    if (error.name !== "NotFoundError") throw error;
  }
}

/** The files of a folder with their description; rejects if any is missing or of another size. */
async function whole(folder) {
  const file = async (name) => (await folder.getFileHandle(name)).getFile();
  const text = await (await file(ABOUT)).text();
  const about = JSON.parse(text);
  const files = [];
  for (const [at, { name, bytes }] of about.files.entries()) {
    const content = await file(String(at));
    if (content.size !== bytes) throw new Error(`${name} has ${content.size} bytes`);
    files.push(new File([content], name));
  }
  if (folder.name !== about.files[0].sha256) throw new Error("the folder is another model's");
  return { text, files };
}

/** The descriptions of all complete models. `sweep` deletes what is half written or damaged. */
export async function list(sweep) {
  const models = await root();
  const found = [];
  const broken = [];
  for await (const [id, folder] of models.entries()) {
    try {
      found.push((await whole(folder)).text);
    } catch (error) {
      // What only can't be read now stays.
      if (!(error instanceof DOMException) || error.name === "NotFoundError") broken.push(id);
    }
  }
  // What can't be deleted now is tried again with the next list.
  if (sweep) await Promise.allSettled(broken.map((id) => removeFrom(models, id)));
  return found;
}

/** Writes chunks of a blob to a new file. */
async function write(folder, name, blob, signal, wrote) {
  const handle = await folder.getFileHandle(name, { create: true });
  const access = await handle.createSyncAccessHandle();
  try {
    for (let at = 0; at < blob.size; at += CHUNK) {
      signal.throwIfAborted();
      const bytes = new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
      // Browsers may write less instead of reporting a full disk.
      if (access.write(bytes, { at }) !== bytes.length) {
        throw new DOMException("the disk is full", "QuotaExceededError");
      }
      wrote(bytes.length);
    }
    access.flush();
  } finally {
    access.close();
  }
}

/**
 * Keeps a model; `about` is its description. `progress` gets the bytes written. After a failure or
 * a cancel, nothing of it is left.
 */
export async function keep(id, files, about, progress, signal) {
  const models = await root();
  await removeFrom(models, id);
  try {
    const folder = await models.getDirectoryHandle(id, { create: true });
    let done = 0;
    for (const [at, file] of files.entries()) {
      await write(folder, String(at), file, signal, (bytes) => progress((done += bytes)));
    }
    await write(folder, ABOUT, new Blob([about]), signal, () => {});
  } catch (error) {
    await removeFrom(models, id).catch(() => {});
    throw error;
  }
}

/** A kept model's files, under the names that they had. */
export async function open(id) {
  const models = await root();
  return (await whole(await models.getDirectoryHandle(id))).files;
}

/** Deletes a kept model. */
export async function remove(id) {
  await removeFrom(await root(), id);
}

/** The bytes that the site uses and may use, and whether the browser may evict them. */
export async function space() {
  const { usage, quota } = await navigator.storage.estimate();
  return { used: usage, quota, is_persistent: await navigator.storage.persisted() };
}
