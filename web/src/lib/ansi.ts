// Terminal colours in captured output, as classes. Everything else a terminal would obey is
// dropped.

export interface AnsiSpan {
  text: string;
  classes: string;
}

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

export function parseAnsi(line: string): AnsiSpan[] {
  // A carriage return redraws the line: what was before it is gone, as on a terminal.
  const shown = line.replace(/\r+$/, "");
  const text = shown.slice(shown.lastIndexOf("\r") + 1);
  const out: AnsiSpan[] = [];
  let bold = false;
  let dim = false;
  let italic = false;
  let underline = false;
  let color = "";
  const pattern =
    /\u001b\[([0-9;]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
  let at = 0;
  const push = (end: number) => {
    if (end <= at) return;
    const classes = [
      bold && "ansi-bold",
      dim && "ansi-dim",
      italic && "ansi-italic",
      underline && "ansi-underline",
      color && `ansi-${color}`,
    ]
      .filter(Boolean)
      .join(" ");
    out.push({ text: text.slice(at, end), classes });
  };
  for (const match of text.matchAll(pattern)) {
    push(match.index);
    at = match.index + match[0].length;
    if (match[2] !== "m") continue;
    const codes = (match[1] || "0").split(";").map(Number);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      if (code === 0) {
        bold = dim = italic = underline = false;
        color = "";
      } else if (code === 1) bold = true;
      else if (code === 2) dim = true;
      else if (code === 3) italic = true;
      else if (code === 4) underline = true;
      else if (code === 22) bold = dim = false;
      else if (code === 23) italic = false;
      else if (code === 24) underline = false;
      else if (code === 39) color = "";
      else if (code >= 30 && code <= 37) color = colors[code - 30];
      else if (code >= 90 && code <= 97) color = colors[code - 90];
      else if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4;
    }
  }
  push(text.length);
  return out;
}
