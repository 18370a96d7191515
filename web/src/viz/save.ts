// Saves what the page made itself as a file.
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  saveUrl(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveUrl(url: string, name: string): void {
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  document.body.append(a);
  a.click();
  a.remove();
}

export const fileName = (title: string) =>
  title.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "chart";

export async function svgToPng(svg: string, factor: number): Promise<Blob> {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * factor;
  canvas.height = image.naturalHeight * factor;
  const c = canvas.getContext("2d")!;
  c.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))),
      "image/png",
    ),
  );
}
