// Makes PNG pictures of SVG texts. Loaded when a picture is asked for; src/platform/picture.rs calls it.

/** The picture as a PNG blob. The text refers to nothing, so the canvas stays readable. */
export async function png(svg, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("This browser can't write PNG files.");
  return blob;
}

/** Copies the picture. The item takes a promise: Safari wants it made during the click. */
export async function copy(svg, width, height) {
  const picture = new ClipboardItem({ "image/png": png(svg, width, height) });
  await navigator.clipboard.write([picture]);
}
