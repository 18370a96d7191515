// Captured output: only the lines in sight are fetched; search over all of them; terminal colours
// kept.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Console, ConsoleLine } from "../api/types";
import { parseAnsi } from "../lib/ansi";
import { listenLive } from "../state/live";
import { toast } from "../state/toast";
import { formatInteger, formatTime } from "../viz/format";
import { fileName, saveBlob } from "../viz/save";
import { Check, IconButton, Search } from "./controls";
import { Empty } from "./states";
import { VirtualList } from "./virtual_list";

const chunk = 500;
/** Matches in one answer of the server. */
const matchBlock = 10_000;

interface Matches {
  skip: number; // matches before the first in the list
  list: number[];
  count: number;
}

function Text({ line, wanted }: { line: ConsoleLine; wanted: string }) {
  const spans = parseAnsi(line.text);
  if (!wanted)
    return (
      <>
        {spans.map((s, i) => (
          <span key={i} class={s.classes}>
            {s.text}
          </span>
        ))}
      </>
    );
  return (
    <>
      {spans.map((s, i) => {
        const at = s.text.toLowerCase().indexOf(wanted.toLowerCase());
        if (at < 0)
          return (
            <span key={i} class={s.classes}>
              {s.text}
            </span>
          );
        return (
          <span key={i} class={s.classes}>
            {s.text.slice(0, at)}
            <mark>{s.text.slice(at, at + wanted.length)}</mark>
            {s.text.slice(at + wanted.length)}
          </span>
        );
      })}
    </>
  );
}

/** All captured lines as a file; asked for in pieces, as the server gives them. */
async function download(
  of: { run: string; stream?: string },
  name: string,
  total: number,
): Promise<void> {
  const lines: string[] = [];
  while (lines.length < total) {
    const part = await get<Console>("console", { ...of, first: lines.length, count: 5000 });
    if (!part.lines.length) break;
    for (const line of part.lines) lines.push(line.text);
  }
  saveBlob(new Blob([lines.join("\n") + "\n"], { type: "text/plain" }), fileName(name) + ".log");
}

/** `atEnd`: opens where a failed run ended, which is what people look for. */
export function ConsoleView({
  run,
  name,
  total: known,
  atEnd,
}: {
  run: string;
  name: string;
  total: number;
  atEnd: boolean;
}) {
  const [all, setAll] = useState(known);
  const [onlyErrors, setOnlyErrors] = useState(false);
  const [errors, setErrors] = useState<number | null>(null); // lines of standard error
  const [, redraw] = useState(0);
  const [search, setSearch] = useState("");
  const [matches, setMatches] = useState<Matches | null>(null);
  const [match, setMatch] = useState(0);
  const [follow, setFollow] = useState(atEnd);
  const chunks = useRef(new Map<number, ConsoleLine[] | "loading">());
  const total = onlyErrors ? (errors ?? 0) : all;
  const of = { run, ...(onlyErrors ? { stream: "error" } : {}) };
  useEffect(
    () =>
      listenLive({
        console: (e) => e.run === run && setAll(e.total),
        reset: () => chunks.current.clear(),
      }),
    [run],
  );
  useEffect(() => {
    if (!onlyErrors) return;
    let stale = false;
    get<Console>("console", { run, first: 0, count: 1, stream: "error" }).then(
      (r) => stale || setErrors(r.total),
      (e) => toast((e as Error).message, "bad"),
    );
    return () => {
      stale = true;
    };
  }, [run, all, onlyErrors]);
  useEffect(() => {
    // The last chunk held may have grown.
    chunks.current.delete(Math.floor((total - 1) / chunk));
  }, [total]);
  const block = Math.floor(match / matchBlock) * matchBlock;
  useEffect(() => setMatch(0), [search, run, onlyErrors]);
  useEffect(() => {
    if (!search) {
      setMatches(null);
      return;
    }
    let stale = false;
    get<Console>("console", { ...of, first: 0, count: 1, search, skip: block }).then(
      (r) => !stale && setMatches({ skip: block, list: r.matches ?? [], count: r.matched ?? 0 }),
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [search, run, block, onlyErrors]);
  const lineAt = (i: number): ConsoleLine | null => {
    const c = Math.floor(i / chunk);
    const held = chunks.current.get(c);
    if (!held) {
      chunks.current.set(c, "loading");
      const { current } = chunks;
      get<Console>("console", { ...of, first: c * chunk, count: chunk }).then(
        (r) => {
          current.set(c, r.lines);
          redraw((n) => n + 1);
        },
        () => current.delete(c),
      );
      return null;
    }
    return held === "loading" ? null : (held[i - c * chunk] ?? null);
  };
  if (all === 0)
    return (
      <Empty title="Nothing was captured">
        <p>
          Switch on console capture with <code>RunOptions::console</code>.
        </p>
      </Empty>
    );
  const target = matches?.count
    ? matches.list[match - matches.skip]
    : follow
      ? total - 1
      : undefined;
  const step = (d: number) =>
    matches?.count && setMatch((match + d + matches.count) % matches.count);
  return (
    <div class="page" style={{ minHeight: 0 }}>
      <div class="toolbar">
        <Search
          value={search}
          onChange={setSearch}
          placeholder="Search output"
          label="Search captured output"
        />
        {matches ? (
          <span class="muted" data-matches={matches.count}>
            {matches.count
              ? `${formatInteger(match + 1)} of ${formatInteger(matches.count)}`
              : "no match"}
          </span>
        ) : null}
        <IconButton
          icon="up"
          label="Previous match"
          disabled={!matches?.count}
          onClick={() => step(-1)}
        />
        <IconButton
          icon="down"
          label="Next match"
          disabled={!matches?.count}
          onClick={() => step(1)}
        />
        <Check checked={follow} onChange={setFollow}>
          follow the end
        </Check>
        <Check
          checked={onlyErrors}
          onChange={(on) => {
            chunks.current = new Map();
            setErrors(null);
            setOnlyErrors(on);
          }}
        >
          only errors
        </Check>
        <span class="spacer" />
        <span class="muted" data-lines={onlyErrors && errors === null ? undefined : total}>
          {onlyErrors
            ? `${formatInteger(total)} of ${formatInteger(all)} lines on standard error`
            : `${formatInteger(total)} lines`}
        </span>
        <IconButton
          icon="download"
          label="Download the output"
          onClick={() =>
            void download(of, name, total).catch((e) => toast((e as Error).message, "bad"))
          }
        />
      </div>
      <VirtualList
        label="Captured output"
        count={total}
        height={18}
        scrollTo={target}
        render={(i, top) => {
          const line = lineAt(i);
          return (
            <div
              key={i}
              class={`console-line${line?.error ? " error" : ""}${i === target && matches ? " current" : ""}`}
              style={{ top }}
            >
              <span class="console-number" title={line ? formatTime(line.time_ms, true) : ""}>
                {line ? line.line + 1 : onlyErrors ? "" : i + 1}
              </span>
              {line ? <Text line={line} wanted={search} /> : null}
            </div>
          );
        }}
      />
    </div>
  );
}
