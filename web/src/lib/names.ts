// Names of metrics beside each other.

/** Names without the path they share at both ends. */
export function withoutCommon(keys: readonly string[]): string[] {
  if (keys.length < 2) return [...keys];
  const parts = keys.map((k) => k.split("/"));
  let head = 0;
  while (parts.every((p) => p.length > head + 1 && p[head] === parts[0][head])) head++;
  let tail = 0;
  while (
    parts.every(
      (p) =>
        p.length > head + tail + 1 &&
        p[p.length - 1 - tail] === parts[0][parts[0].length - 1 - tail],
    )
  )
    tail++;
  // "0" says nothing; "gpu/0" does.
  if (head > 0 && parts.every((p) => /^\d+$/.test(p.slice(head, p.length - tail).join("/"))))
    head--;
  return parts.map((p) => p.slice(head, p.length - tail).join("/"));
}

/** Whether every word of the text begins a part of the name: "val acc" is val/accuracy. */
export function partsScore(name: string, text: string): boolean {
  const parts = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => parts.some((part) => part.startsWith(word)));
}
