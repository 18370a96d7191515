// Kinds of values that the media pages show.
export const mediaKinds: readonly string[] = [
  "image",
  "video",
  "audio",
  "mesh",
  "text",
  "table",
  "figure",
];
