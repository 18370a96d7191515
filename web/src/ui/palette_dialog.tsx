// The command palette: commands, runs, metrics and projects by a few letters.
import { useState } from "preact/hooks";
import { partsScore } from "../lib/names";
import { commands, paletteOpen, places, type Command } from "./commands";
import { Dialog } from "./popover";

function score(name: string, text: string): number {
  const n = name.toLowerCase();
  if (text.includes(" ") && partsScore(n, text)) return 2;
  const at = n.indexOf(text);
  if (at === 0) return 3;
  if (at > 0) return n[at - 1] === " " || n[at - 1] === "/" ? 2 : 1;
  let i = 0;
  for (const c of n) if (c === text[i]) i++;
  return i === text.length ? 0.5 : 0;
}

export function PaletteDialog() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const list: Command[] = wanted
    ? [
        ...commands()
          .map((c) => ({ c, s: score(c.name, wanted) }))
          .filter(({ s }) => s > 0)
          .sort((a, b) => b.s - a.s)
          .map(({ c }) => c),
        ...places(wanted),
      ].slice(0, 40)
    : commands();
  const close = () => (paletteOpen.value = false);
  const choose = (c: Command | undefined) => {
    close();
    // After the dialog gave focus back, so that a command may take it.
    if (c) setTimeout(c.run, 0);
  };
  return (
    <Dialog title="Command palette" close={close} class="palette">
      <input
        autofocus
        placeholder="Type a command, a run, a metric…"
        aria-label="Command"
        value={text}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        onInput={(e) => {
          setText(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown") setAt(Math.min(list.length - 1, at + 1));
          else if (e.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (e.key === "Enter") choose(list[at]);
          else return;
          e.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Matches">
        {list.map((c, i) => (
          <li
            key={c.group + c.name + i}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => choose(c)}
            onPointerMove={() => setAt(i)}
            ref={i === at ? (e) => e?.scrollIntoView({ block: "nearest" }) : undefined}
          >
            <span class="ellipsis">{c.name}</span>
            <span class="hint">
              {c.group}
              {c.keys ? " · " + c.keys : ""}
            </span>
          </li>
        ))}
        {list.length === 0 ? <li class="muted">Nothing matches</li> : null}
      </ul>
    </Dialog>
  );
}
