// The timeline: what ran when on which thread. The server sends what a screen can show; panning
// draws what is here already and asks for the rest.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiUrl, get } from "../api/client";
import { readSlices, type Slices } from "../api/slices";
import type { Minimap, ProfileArrow, ProfileArrows, ProfileInfo, SliceSearch } from "../api/types";
import { asked, changeProfile, type ProfileRef } from "../state/profile";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { Check, IconButton, Search } from "../ui/controls";
import { Icon } from "../ui/icon";
import { PopoverButton } from "../ui/popover";
import { formatInteger } from "../viz/format";
import { formatNs } from "../viz/nanoseconds";
import { mix, themes, type Theme } from "../viz/palette";
import {
  drawTimeline,
  headHeight,
  hitAt,
  placeTracks,
  rowHeight,
  rulerHeight,
  timeOf,
  type Hit,
  type TimelineView,
} from "../viz/timeline";
import { SlicePanel } from "./profile_slice";

const wide = 1; // widths of the screen that are fetched on either side
const mapHeight = 44;

/** How busy each thread is, as a picture that the minimap is drawn from. */
function drawBusy(mini: Minimap, shade: Theme): HTMLCanvasElement {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [mini.width, mapHeight];
  const c = picture.getContext("2d")!;
  const colors = themes[shade];
  c.fillStyle = colors.sunken;
  c.fillRect(0, 0, mini.width, mapHeight);
  const high = mapHeight / Math.max(1, mini.tracks.length);
  const shades = Array.from({ length: 17 }, (_, i) => mix(colors.sunken, colors.accent, i / 20));
  mini.tracks.forEach((t, r) => {
    for (let x = 0; x < mini.width; x++) {
      if (!t.busy[x]) continue;
      c.fillStyle = shades[Math.ceil(t.busy[x] / 16)] ?? shades[16];
      c.fillRect(x, r * high, 1, Math.max(1, high - 0.5));
    }
  });
  return picture;
}

export function TimelineTab({ profile, info }: { profile: ProfileRef; info: ProfileInfo }) {
  const p = view.value.profile;
  const end = Math.max(info.duration_ns, 1);
  const scroll = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [folded, setFolded] = useState<ReadonlySet<number>>(
    () => new Set(info.tracks.flatMap((t, i) => (t.kind === "instants" && i > 0 ? [i] : []))),
  );
  const [slices, setSlices] = useState<Slices | null>(null);
  const [arrows, setArrows] = useState<ProfileArrow[]>([]);
  const [own, setOwn] = useState<ProfileArrow[]>([]); // of the selected slice
  const [found, setFound] = useState<SliceSearch | null>(null);
  const [mini, setMini] = useState<Minimap | null>(null);
  const [hover, setHover] = useState<{ hit: Hit; x: number; y: number }>({ hit: null, x: 0, y: 0 });
  const [error, setError] = useState("");
  const range = useRef({ from: p.from ?? 0, to: p.to ?? end });
  const [, redraw] = useState(0);
  const { placed, height } = useMemo(
    () => placeTracks(info, hidden, folded),
    [info, hidden, folded],
  );
  const left = size.width < 560 ? 96 : 190;

  // The address says where we are; a gesture is ahead of it until it rests.
  const moving = useRef(0);
  useEffect(() => {
    if (moving.current) return;
    range.current = { from: p.from ?? 0, to: p.to ?? end };
    redraw((n) => n + 1);
  }, [p.from, p.to, end]);

  useEffect(() => {
    const observer = new ResizeObserver(([e]) =>
      setSize({ width: Math.round(e.contentRect.width), height: Math.round(e.contentRect.height) }),
    );
    observer.observe(scroll.current!);
    return () => observer.disconnect();
  }, []);

  const current = (): TimelineView => ({
    theme: theme.value,
    ...range.current,
    left,
    width: size.width,
    height: size.height,
    scroll: scroll.current?.scrollTop ?? 0,
    selected: p.slice,
    hovered: hover.hit?.kind === "slice" ? hover.hit.index : -1,
    matches: found && p.search ? new Set(found.names.map((n) => n.id)) : null,
    font: `11px ${canvas.current ? getComputedStyle(canvas.current).fontFamily : "sans-serif"}`,
  });

  const frame = useRef(0);
  const paint = () => {
    frame.current = 0;
    const element = canvas.current;
    if (!element || size.width < 20) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [w, h] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
    const c = element.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawTimeline(c, current(), info, placed, slices, [...(p.arrows ? arrows : []), ...own]);
    element.dataset.painted = String(Number(element.dataset.painted ?? 0) + 1);
    element.dataset.from = String(Math.round(range.current.from));
    element.dataset.to = String(Math.round(range.current.to));
    drawMap();
  };
  const soon = () => (frame.current ||= requestAnimationFrame(() => paintNow.current()));
  const paintNow = useRef(paint);
  paintNow.current = paint;
  useLayoutEffect(paint);

  // --- what is fetched ------------------------------------------------------------------------
  const asking = useRef<AbortController | null>(null);
  const have = useRef({ from: 0, to: -1, pixel: 0, tracks: "" });
  const seen = () => {
    const top = scroll.current?.scrollTop ?? 0;
    return placed
      .filter(
        (t) =>
          t.top + headHeight + t.rows * rowHeight > top - size.height &&
          t.top < top + 2 * size.height,
      )
      .map((t) => t.track);
  };
  const fetchIfNeeded = () => {
    if (size.width < 20) return;
    const { from, to } = range.current;
    const pixel = (to - from) / Math.max(size.width - left, 1);
    const tracks = seen().join(",");
    const h = have.current;
    const fits =
      h.tracks === tracks &&
      from >= h.from &&
      to <= h.to &&
      h.pixel <= pixel * 1.5 &&
      h.pixel >= pixel / 1.5;
    if (fits || !tracks) return;
    const room = (to - from) * wide;
    const want = {
      from: Math.max(0, Math.floor(from - room)),
      to: Math.min(end, Math.ceil(to + room)),
      pixel,
      tracks,
    };
    asking.current?.abort();
    const abort = (asking.current = new AbortController());
    const width = Math.round(Math.min(8192, Math.max(1, (want.to - want.from) / pixel)));
    fetch(
      apiUrl("profile:slices", { ...asked(profile), from: want.from, to: want.to, width, tracks }),
      { signal: abort.signal },
    )
      .then(async (r) => {
        if (!r.ok)
          throw new Error(((await r.json()) as { error: { message: string } }).error.message);
        const got = readSlices(await r.arrayBuffer());
        if (abort.signal.aborted) return;
        have.current = want;
        setError("");
        setSlices(got);
      })
      .catch((e: Error) => abort.signal.aborted || setError(e.message));
  };
  const fetchSoon = useRef(0);
  const fetchNow = useRef(fetchIfNeeded);
  fetchNow.current = fetchIfNeeded;
  const later = () => {
    if (!fetchSoon.current)
      fetchSoon.current = window.setTimeout(() => {
        fetchSoon.current = 0;
        fetchNow.current();
      }, 16);
  };
  useEffect(later, [p.from, p.to, size, placed]);
  useEffect(() => () => asking.current?.abort(), []);

  useEffect(() => {
    const abort = new AbortController();
    get<Minimap>("profile:minimap", { ...asked(profile), width: 1200 }, abort.signal).then(
      (m) => abort.signal.aborted || setMini(m),
      () => undefined,
    );
    return () => abort.abort();
  }, [profile.run, profile.name]);

  useEffect(() => {
    if (!p.search) return setFound(null);
    const abort = new AbortController();
    get<SliceSearch>(
      "profile:search",
      { ...asked(profile), words: p.search, at: -1 },
      abort.signal,
    ).then(
      (f) => abort.signal.aborted || setFound(f),
      () => undefined,
    );
    return () => abort.abort();
  }, [p.search, profile.name]);

  useEffect(() => {
    if (!p.arrows) return;
    const abort = new AbortController();
    const { from, to } = range.current;
    get<ProfileArrows>(
      "profile:arrows",
      { ...asked(profile), from, to, most: 300 },
      abort.signal,
    ).then(
      (a) => abort.signal.aborted || setArrows(a.arrows),
      () => undefined,
    );
    return () => abort.abort();
  }, [p.arrows, p.from, p.to]);

  // --- moving ---------------------------------------------------------------------------------
  const settle = useRef(0);
  const go = (from: number, to: number) => {
    const span = Math.min(Math.max(to - from, 10), end);
    const at = Math.min(Math.max(from, 0), end - span);
    range.current = { from: at, to: at + span };
    moving.current = 1;
    soon();
    later();
    clearTimeout(settle.current);
    settle.current = window.setTimeout(() => {
      moving.current = 0;
      const all = range.current.from <= 0 && range.current.to >= end;
      changeProfile(
        {
          from: all ? null : Math.round(range.current.from),
          to: all ? null : Math.round(range.current.to),
        },
        true,
      );
    }, 180);
  };
  const pan = (share: number) => {
    const { from, to } = range.current;
    go(from + (to - from) * share, to + (to - from) * share);
  };
  const zoom = (factor: number, at = (range.current.from + range.current.to) / 2) => {
    const { from, to } = range.current;
    const span = Math.min(Math.max((to - from) * factor, 10), end);
    go(at - ((at - from) / (to - from || 1)) * span, at + ((to - at) / (to - from || 1)) * span);
  };
  const jump = async (where: "next" | "previous") => {
    const at = (range.current.from + range.current.to) / 2;
    const f = await get<SliceSearch>("profile:search", {
      ...asked(profile),
      words: p.search,
      at: Math.round(at),
    });
    const hit = f[where];
    if (!hit) return;
    const span = Math.min(
      range.current.to - range.current.from,
      Math.max(hit.duration_ns * 12, 1000),
    );
    const middle = hit.begin_ns + hit.duration_ns / 2;
    changeProfile({
      slice: hit.id,
      from: Math.max(0, Math.round(middle - span / 2)),
      to: Math.min(end, Math.round(middle + span / 2)),
    });
    const track = placed.find((t) => t.track === hit.track);
    if (track && scroll.current)
      scroll.current.scrollTop = Math.max(0, track.top + hit.row * rowHeight - size.height / 2);
  };
  useEffect(() => {
    const element = scroll.current!;
    const wheel = (e: WheelEvent) => {
      const x = e.clientX - element.getBoundingClientRect().left;
      if (e.ctrlKey || e.metaKey || e.altKey)
        zoom(
          Math.exp(Math.max(-1, Math.min(1, e.deltaY / 250))),
          timeOf(current(), Math.max(x, left)),
        );
      else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
        pan((e.deltaX || e.deltaY) / Math.max(size.width - left, 1));
      else return;
      e.preventDefault();
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });
  const drag = useRef<{ x: number; from: number; to: number; moved: boolean } | null>(null);
  const place = (e: MouseEvent): [number, number] => {
    const r = canvas.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const find = (e: MouseEvent): Hit => hitAt(current(), info, placed, slices, ...place(e));
  const pick = (hit: Hit) => {
    if (hit?.kind === "track")
      setFolded((f) => {
        const next = new Set(f);
        if (!next.delete(hit.track)) next.add(hit.track);
        return next;
      });
    else if (hit?.kind === "step")
      changeProfile({
        from: Math.round(hit.step.begin_ns),
        to: Math.round(hit.step.begin_ns + hit.step.duration_ns),
      });
    else if (hit?.kind === "slice" && slices) {
      if (slices.count[hit.index] === 1) changeProfile({ slice: slices.id[hit.index] });
      else {
        const [b, d] = [slices.begin[hit.index], Math.max(slices.duration[hit.index], 10)];
        changeProfile({ from: Math.max(0, Math.floor(b - d)), to: Math.ceil(b + 2 * d) });
      }
    } else if (p.slice >= 0) changeProfile({ slice: -1 });
  };
  const key = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const k = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (k === "ArrowLeft" || k === "a") pan(-0.15);
    else if (k === "ArrowRight" || k === "d") pan(0.15);
    else if (k === "+" || k === "=" || k === "w") zoom(0.7);
    else if (k === "-" || k === "s") zoom(1 / 0.7);
    else if (k === "0" || k === "Home") go(0, end);
    else if (k === "n" && p.search) void jump("next");
    else if (k === "p" && p.search) void jump("previous");
    else if (k === "Escape" && p.slice >= 0) changeProfile({ slice: -1 });
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  // --- the whole at a glance --------------------------------------------------------------------
  const picture = useMemo(() => mini && drawBusy(mini, theme.value), [mini, theme.value]);
  const drawMap = () => {
    const element = map.current;
    if (!element || !picture) return;
    const colors = themes[theme.value];
    const long = picture.width;
    if (element.width !== long || element.height !== mapHeight)
      [element.width, element.height] = [long, mapHeight];
    const c = element.getContext("2d")!;
    c.drawImage(picture, 0, 0);
    const { from, to } = range.current;
    const [x0, x1] = [(from / end) * long, (to / end) * long];
    c.fillStyle = colors.ground;
    c.globalAlpha = 0.6;
    c.fillRect(0, 0, x0, mapHeight);
    c.fillRect(x1, 0, long - x1, mapHeight);
    c.globalAlpha = 1;
    c.strokeStyle = colors.accent;
    c.lineWidth = 2;
    c.strokeRect(Math.max(1, x0), 1, Math.max(3, Math.min(long - 1, x1) - x0), mapHeight - 2);
  };
  const toMap = (e: PointerEvent) => {
    if (!(e.buttons & 1)) return;
    const r = map.current!.getBoundingClientRect();
    const at = ((e.clientX - r.left) / r.width) * end;
    const half = (range.current.to - range.current.from) / 2;
    go(at - half, at + half);
  };

  const tip = hover.hit;
  return (
    <div class="profile-body fixed">
      <div class="toolbar" role="toolbar" aria-label="Timeline">
        <Search
          id="metric-search"
          value={p.search}
          onChange={(search) => changeProfile({ search }, true)}
          placeholder="Search slices"
          label="Search slices"
        />
        {p.search && found ? (
          <>
            <span
              class="nowrap"
              role="status"
              data-found={found.count}
              data-found-ns={found.total_ns}
            >
              {formatInteger(found.count)} found, {formatNs(found.total_ns)}
            </span>
            <IconButton icon="left" label="Previous (p)" onClick={() => void jump("previous")} />
            <IconButton icon="right" label="Next (n)" onClick={() => void jump("next")} />
          </>
        ) : null}
        <Check checked={p.arrows} onChange={(on) => changeProfile({ arrows: on })}>
          arrows
        </Check>
        <PopoverButton
          label="Tracks"
          trigger={
            <>
              <Icon name="columns" /> Tracks
            </>
          }
        >
          {() => (
            <div class="stack" style={{ maxHeight: "60vh", overflow: "auto" }}>
              {info.tracks.map((t, i) => (
                <Check
                  key={i}
                  checked={!hidden.has(i)}
                  onChange={(on) =>
                    setHidden((h) => {
                      const next = new Set(h);
                      if (on) next.delete(i);
                      else next.add(i);
                      return next;
                    })
                  }
                >
                  {t.title} {t.kind === "thread" ? "" : t.kind}{" "}
                  <span class="muted">{t.process}</span>
                </Check>
              ))}
            </div>
          )}
        </PopoverButton>
        <span class="spacer" />
        <span class="muted small nowrap desktop-only">
          {formatNs(range.current.to - range.current.from)} of {formatNs(end)}
        </span>
        <IconButton icon="plus" label="Zoom in (w)" onClick={() => zoom(0.5)} />
        <IconButton icon="shrink" label="Zoom out (s)" onClick={() => zoom(2)} />
        <IconButton icon="expand" label="Everything (0)" onClick={() => go(0, end)} />
      </div>
      {info.is_made_up ? (
        <div class="profile-note muted">
          The file has no times: its stacks are laid end to end, and their order means nothing.
        </div>
      ) : null}
      {error ? (
        <div class="profile-note bad" role="alert">
          {error}
        </div>
      ) : null}
      <canvas
        ref={map}
        class="minimap"
        role="img"
        aria-label="The whole timeline: drag to move"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          toMap(e);
        }}
        onPointerMove={toMap}
      />
      <div ref={scroll} class="timeline-scroll" onScroll={() => (soon(), later())}>
        <canvas
          ref={canvas}
          class="timeline-canvas"
          style={{ height: size.height || "100%" }}
          tabIndex={0}
          role="application"
          aria-label={`Timeline of ${info.name}: ${formatInteger(info.slices)} slices. a and d pan, w and s zoom, 0 shows everything`}
          data-slices={slices?.begin.length ?? 0}
          onKeyDown={key}
          onPointerDown={(e) => {
            if (e.button !== 0) return;
            drag.current = { x: e.clientX, ...range.current, moved: false };
            e.currentTarget.setPointerCapture(e.pointerId);
          }}
          onPointerMove={(e) => {
            const d = drag.current;
            if (d) {
              const by = ((e.clientX - d.x) / Math.max(size.width - left, 1)) * (d.to - d.from);
              if (Math.abs(e.clientX - d.x) > 3) d.moved = true;
              if (d.moved) go(d.from - by, d.to - by);
              return;
            }
            const hit = find(e);
            setHover({ hit, x: e.clientX, y: e.clientY });
          }}
          onPointerUp={(e) => {
            const d = drag.current;
            drag.current = null;
            if (d && !d.moved) pick(find(e));
          }}
          onPointerCancel={() => (drag.current = null)}
          onPointerLeave={() => setHover({ hit: null, x: 0, y: 0 })}
        />
        <div style={{ height: Math.max(0, height + rulerHeight - (size.height || 0)) }} />
      </div>
      {tip?.kind === "slice" && slices ? (
        <div
          class="tooltip"
          style={{
            left: Math.min(innerWidth - 280, hover.x + 14),
            top: hover.y + 14,
            maxWidth: 420,
          }}
        >
          {slices.count[tip.index] > 1
            ? `${formatInteger(slices.count[tip.index])} slices, busy ${Math.round(Math.min(1, slices.busy[tip.index]) * 100)} %`
            : slices.names.get(slices.name[tip.index])}
          <div class="muted">{formatNs(slices.duration[tip.index])}</div>
        </div>
      ) : null}
      {p.slice >= 0 ? (
        <SlicePanel
          profile={profile}
          info={info}
          id={p.slice}
          onArrows={setOwn}
          toCharts={(step) => change({ page: "charts", pins: [step], full: "" })}
        />
      ) : null}
    </div>
  );
}
