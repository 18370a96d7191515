// Where the time goes, as a flame, an icicle or a sunburst: three drawings of one tree.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Flame, ProfileInfo } from "../api/types";
import { shortTitle } from "../lib/profile_rows";
import { asked, changeProfile, type ProfileRef } from "../state/profile";
import { theme } from "../state/settings";
import { view } from "../state/view";
import { Search, Select } from "../ui/controls";
import { Empty, Failed, Skeleton } from "../ui/states";
import { useLoad } from "../ui/use_load";
import {
  boxAt,
  boxes,
  boxOf,
  deepest,
  neighbour,
  ringAt,
  rings,
  rowHeight,
  type FlameMode,
} from "../viz/flame";
import { formatInteger } from "../viz/format";
import { formatShare, formatWeight } from "../viz/nanoseconds";
import { nameColor } from "../viz/name_color";
import { themes } from "../viz/palette";

// The ways back out of a zoom, and in again.
const keptAnswers = 12;

const titleOf = (flame: Flame, i: number) => flame.titles[flame.title[i]] || "everything";

interface Ring {
  from: number; // angles
  to: number;
  inner: number; // radii; 0 for the root
  outer: number;
}

/** Where the frame of an index lies; undefined where it is beyond the last ring. */
function ringsOf(flame: Flame, width: number, height: number): (i: number) => Ring | undefined {
  const { count, width: ring, hole } = rings(flame, Math.min(width, height) / 2 - 4);
  const whole = flame.total[0] || 1;
  return (i) => {
    const depth = flame.depth[i];
    if (depth === undefined || depth > count) return undefined;
    const from = (flame.begin[i] / whole) * 2 * Math.PI - Math.PI / 2;
    const inner = depth === 0 ? 0 : hole + (depth - 1) * ring;
    return {
      from,
      to: from + (flame.total[i] / whole) * 2 * Math.PI,
      inner,
      outer: depth === 0 ? hole : inner + ring,
    };
  };
}

function trace(c: CanvasRenderingContext2D, { from, to, inner, outer }: Ring) {
  c.beginPath();
  c.arc(0, 0, outer, from, to);
  if (inner > 0) {
    c.arc(0, 0, inner, to, from, true);
    c.closePath();
  }
}

const pixelRatio = () => Math.min(3, window.devicePixelRatio || 1);

function emptied(canvas: HTMLCanvasElement, width: number, height: number) {
  const ratio = pixelRatio();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d")!;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
}

function draw(
  canvas: HTMLCanvasElement,
  flame: Flame,
  mode: FlameMode,
  width: number,
  height: number,
  search: string,
) {
  const c = emptied(canvas, width, height);
  const shade = theme.value;
  const colors = themes[shade];
  c.fillStyle = colors.ground;
  c.fillRect(0, 0, width, height);
  c.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  c.textBaseline = "middle";
  const wanted = search.toLowerCase();
  // Once for each name: the same ones stand all over a picture of tens of thousands of boxes.
  const colorOf = flame.titles.map((title) => nameColor(shade, title || "everything"));
  const alphaOf = wanted
    ? flame.titles.map((t) => ((t || "everything").toLowerCase().includes(wanted) ? 1 : 0.22))
    : null;
  const paint = (i: number) => {
    if (alphaOf) c.globalAlpha = alphaOf[flame.title[i]];
    c.fillStyle = i === 0 ? colors.sunken : colorOf[flame.title[i]];
  };
  if (mode === "sunburst") {
    c.translate(width / 2, height / 2);
    const ringOf = ringsOf(flame, width, height);
    flame.node.forEach((_, i) => {
      const place = ringOf(i);
      if (!place) return;
      paint(i);
      const title = shortTitle(titleOf(flame, i));
      const { from, to, inner, outer } = place;
      trace(c, place);
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = colors.ground;
      c.lineWidth = 1;
      c.stroke();
      const long = ((inner + outer) / 2) * (to - from);
      const ring = outer - inner;
      if (inner > 0 && long > 14 && ring > 34) {
        c.save();
        const middle = (from + to) / 2;
        c.rotate(middle);
        const left = Math.cos(middle) < 0;
        if (left) c.rotate(Math.PI);
        c.textAlign = left ? "right" : "left";
        c.fillStyle = colors.text;
        const fits = Math.floor((ring - 8) / 6.4);
        c.fillText(
          title.length > fits ? title.slice(0, fits - 1) + "…" : title,
          (left ? -1 : 1) * (inner + 4),
          0,
        );
        c.restore();
      }
    });
    c.fillStyle = colors.text;
    c.textAlign = "center";
    c.fillText("100 %", 0, 0);
    return;
  }
  for (const { index, x, y, width: wide } of boxes(flame, mode, width)) {
    paint(index);
    c.fillRect(x, y, Math.max(0.75, wide - (wide > 2 ? 1 : 0)), rowHeight - 1);
    if (wide > 30) {
      const title = shortTitle(titleOf(flame, index));
      c.globalAlpha = 1;
      c.fillStyle = colors.text;
      const fits = Math.floor((wide - 8) / 7);
      c.fillText(
        title.length > fits ? title.slice(0, Math.max(1, fits - 1)) + "…" : title,
        x + 4,
        y + rowHeight / 2 - 0.5,
      );
    }
  }
}

/** The frame that the pointer or a key chose, on a layer of its own: the picture stays. */
function drawChosen(
  canvas: HTMLCanvasElement,
  flame: Flame,
  mode: FlameMode,
  width: number,
  height: number,
  at: number,
) {
  const c = emptied(canvas, width, height);
  c.strokeStyle = themes[theme.value].accent;
  if (mode === "sunburst") {
    const place = ringsOf(flame, width, height)(at);
    if (!place) return;
    c.translate(width / 2, height / 2);
    c.lineWidth = 2.5;
    trace(c, place);
    c.stroke();
    return;
  }
  const box = boxOf(flame, mode, width, at);
  c.lineWidth = 2;
  c.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.width - 3), rowHeight - 3);
}

export function FlameView({
  profile,
  info,
  mode,
}: {
  profile: ProfileRef;
  info: ProfileInfo;
  mode: FlameMode;
}) {
  const p = view.value.profile;
  const wrap = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const chosen = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [at, setAt] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([e]) =>
      setSize({ width: Math.round(e.contentRect.width), height: Math.round(e.contentRect.height) }),
    );
    observer.observe(wrap.current!);
    return () => observer.disconnect();
  }, []);
  const asking = {
    ...asked(profile),
    root: p.root,
    value: p.value < 0 ? undefined : p.value,
    // The answer has boxes from half a unit of it: here one pixel of the screen.
    width: Math.ceil(((size.width || window.innerWidth) * pixelRatio()) / 256) * 128,
    search: p.search || undefined,
  };
  const question = JSON.stringify(asking);
  const answers = useRef(new Map<string, Flame>());
  useEffect(() => answers.current.clear(), [info]); // the file was read again
  const known = answers.current.get(question);
  const { value, error, again } = useLoad(
    question,
    async (signal) => {
      if (known) return known;
      const answer = await get<Flame>("profile:flame", asking, signal);
      answers.current.set(question, answer);
      if (answers.current.size > keptAnswers)
        answers.current.delete(answers.current.keys().next().value!);
      return answer;
    },
    undefined,
    true,
  );
  const flame = known ?? value; // what is there is drawn in this very frame
  const unit = info.values[flame?.value ?? info.main_value]?.unit ?? "";
  const height =
    !flame || mode === "sunburst"
      ? Math.max(260, size.height - 4)
      : Math.max((deepest(flame) + 1) * rowHeight, 40);
  useLayoutEffect(() => {
    if (flame && canvas.current && size.width > 20)
      draw(canvas.current, flame, mode, size.width, height, p.search);
  }, [flame, mode, size, height, p.search, theme.value]);
  useLayoutEffect(() => {
    if (flame?.node.length && chosen.current && size.width > 20)
      drawChosen(
        chosen.current,
        flame,
        mode,
        size.width,
        height,
        Math.min(at, flame.node.length - 1),
      );
  }, [flame, mode, size, height, at, theme.value]);
  useEffect(() => setAt(0), [flame?.node[0], mode]);
  const find = (e: MouseEvent) => {
    if (!flame) return -1;
    const r = canvas.current!.getBoundingClientRect();
    const [x, y] = [e.clientX - r.left, e.clientY - r.top];
    return mode === "sunburst"
      ? ringAt(flame, Math.min(r.width, r.height) / 2 - 4, x - r.width / 2, y - r.height / 2)
      : boxAt(flame, mode, r.width, x, y);
  };
  const zoom = (i: number) => {
    if (!flame || i < 0) return;
    // The root itself leads back out.
    changeProfile({ root: i === 0 ? (flame.path.at(-2)?.node ?? 0) : flame.node[i] });
  };
  const key = (e: KeyboardEvent) => {
    if (!flame) return;
    const inward = mode === "flame" ? "ArrowUp" : "ArrowDown";
    const outward = mode === "flame" ? "ArrowDown" : "ArrowUp";
    const moves: Record<string, Parameters<typeof neighbour>[2]> = {
      [inward]: "in",
      [outward]: "out",
      ArrowRight: "next",
      ArrowLeft: "back",
    };
    if (moves[e.key]) setAt(neighbour(flame, at, moves[e.key]));
    else if (e.key === "Enter") zoom(at);
    else if (e.key === "Backspace") zoom(0);
    else return;
    e.preventDefault();
  };
  const whole = flame?.path[0]?.total ?? 0;
  const shownHeight = flame?.node.length ? height : 0;
  return (
    <div class="profile-body fixed">
      <div class="toolbar" role="toolbar" aria-label="Flame">
        <Search
          id="metric-search"
          value={p.search}
          onChange={(search) => changeProfile({ search }, true)}
          placeholder="Search functions"
          label="Search functions"
        />
        {info.values.length > 1 ? (
          <label class="field">
            weight
            <Select
              label="Weight"
              value={String(flame?.value ?? info.main_value)}
              onChange={(value) => changeProfile({ value: Number(value) })}
              options={info.values.map((t, i) => ({ value: String(i), label: t.name }))}
            />
          </label>
        ) : null}
        {p.search && flame ? (
          <span class="nowrap" data-matched={flame.matched} role="status">
            {formatWeight(flame.matched, unit)} match,{" "}
            {formatShare(flame.matched / (flame.total[0] || 1))}
          </span>
        ) : null}
        <span class="spacer" />
        {flame?.left_out ? (
          <span class="muted small nowrap">
            {formatInteger(flame.left_out)} too narrow to be seen
          </span>
        ) : null}
      </div>
      {flame && flame.path.length > 1 ? (
        <nav class="breadcrumbs" aria-label="Frames above">
          {flame.path.map((f, i) => (
            <button
              type="button"
              class="link-button"
              key={f.node}
              aria-current={i === flame.path.length - 1 ? "true" : undefined}
              onClick={() => changeProfile({ root: f.node })}
            >
              {f.title || "everything"}
            </button>
          ))}
        </nav>
      ) : null}
      {error ? (
        <Failed message={error} retry={again} />
      ) : flame && (flame.node.length === 0 || info.flame_nodes === 0) ? (
        <Empty icon="profile" title="This profile has no stacks" />
      ) : null}
      <div ref={wrap} class="flame-wrap">
        {!flame && !error ? <Skeleton height={240} /> : null}
        <canvas
          ref={canvas}
          class="flame-canvas"
          style={{ height: shownHeight, cursor: "pointer" }}
          tabIndex={0}
          role="application"
          aria-label={`${mode} of ${info.name}: arrows move, Enter zooms, Backspace goes back`}
          data-shown={flame?.node.length ?? 0}
          data-total={flame?.total[0] ?? 0}
          onPointerMove={(e) => {
            const i = find(e);
            if (i >= 0) setAt(i);
          }}
          onClick={(e) => zoom(find(e))}
          onKeyDown={key}
        />
        <canvas
          ref={chosen}
          class="flame-chosen"
          aria-hidden="true"
          style={{ height: shownHeight }}
        />
      </div>
      <div class="profile-note" role="status" data-frame={flame ? titleOf(flame, at) : ""}>
        {flame?.node[at] !== undefined ? (
          <>
            <b class="ellipsis">{titleOf(flame, at)}</b>
            <span>
              {formatWeight(flame.total[at], unit)}, {formatShare(flame.total[at] / (whole || 1))}{" "}
              of everything
            </span>
            <span class="muted">{formatWeight(flame.self[at], unit)} in itself</span>
          </>
        ) : null}
      </div>
    </div>
  );
}
