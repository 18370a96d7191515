// The charts page: sections by prefix, only cards in sight are mounted.
import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CardSpec } from "../state/ask";
import { dropTooltip } from "../state/cursor";
import { coverageOf, metricFacts } from "../state/coverage";
import { keys, nothingYet } from "../state/runs";
import { change, view } from "../state/view";
import { BarCard } from "../ui/bar_card";
import { ChartCard } from "../ui/chart_card";
import { ChartToolbar } from "../ui/chart_toolbar";
import { Icon } from "../ui/icon";
import { HistogramPanel, MediaCard } from "../ui/media_card";
import { PinStrip } from "../ui/pin_strip";
import { RunList } from "../ui/run_list";
import { NoRunShown, noRunShown } from "../ui/no_run_shown";
import { Empty } from "../ui/states";
import { formatInteger } from "../viz/format";
import { columnsIn, heightOf, layoutOf } from "./charts_layout";
import { WaitingForRuns } from "./projects";
import {
  sectionsOf,
  withoutMoves,
  withoutRepeats,
  withoutRuns,
  type Section,
} from "./charts_sections";

const showEmpty = signal(false);
const facts = computed(() =>
  showEmpty.value ? { ...metricFacts.value, share: () => 1 } : metricFacts.value,
);
const hidden = computed(() => withoutRuns(keys.value, metricFacts.value));

// What a person arranged or chose may move cards; what runs log may not.
const chosen = computed(() => {
  const { project, search, pinnedMetrics, order, extra } = view.value;
  return JSON.stringify([
    [project, search, pinnedMetrics, order, extra, coverageOf.value, showEmpty.value],
  ]);
});
let kept = { of: "", cards: new Map<string, CardSpec[]>() };
const sections = computed<Section[]>(() => {
  const { search, pinnedMetrics, closed, order, extra } = view.value;
  if (kept.of !== chosen.value) kept = { of: chosen.value, cards: new Map() };
  const wanted = { search, pinnedMetrics, closed, order, extra };
  return withoutRepeats(withoutMoves(sectionsOf(keys.value, wanted, facts.value), kept.cards));
});

/** As a person chose for the card, else by what it shows. */
const isBars = (card: CardSpec) => {
  const kind = view.value.panels[card.id]?.kind;
  return kind && card.keys.length ? kind === "bars" : !!card.bars;
};

function move(section: Section, from: string, before: string): void {
  const ids = section.cards.map((c) => c.id);
  if (!ids.includes(from) || from === before) return;
  const next = ids.filter((id) => id !== from);
  next.splice(next.indexOf(before), 0, from);
  const { order } = view.value;
  change({ order: [...order.filter((id) => !ids.includes(id)), ...next] });
}

function Sections() {
  const box = useRef<HTMLDivElement>(null);
  const [port, setPort] = useState({ top: 0, height: 800, width: 1000 });
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () =>
      setPort({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const scrolled = () => {
      dropTooltip();
      measure();
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, []);
  const { size } = view.value;
  const columns = columnsIn(port.width, size);
  // Of the window, not of this box: what opens below it must move nothing.
  const height = heightOf(size, columns > 1 ? window.innerHeight - 90 : 0);
  const hides = noRunShown();
  const shown = hides ? [] : sections.value;
  const { placed, bottom: y } = layoutOf(shown, port.width, columns, height);
  const out = [];
  for (const { section, head, places } of placed) {
    out.push(
      <div class="section-head" key={"head " + section.name} style={head}>
        <button
          type="button"
          aria-expanded={section.open}
          onClick={() =>
            change({
              closed: view.value.closed.includes(section.name)
                ? view.value.closed.filter((n) => n !== section.name)
                : [...view.value.closed, section.name],
            })
          }
        >
          <Icon name={section.open ? "down" : "right"} />
          {section.title}
          <span class="count">{formatInteger(section.cards.length)}</span>
        </button>
      </div>,
    );
    places.forEach((place, i) => {
      const card = section.cards[i];
      if (place.top + height < port.top - 250 || place.top > port.top + port.height + 250) return;
      const key = section.name + " " + card.id;
      if (section.kind === "media")
        out.push(<MediaCard key={card.id} name={card.title} place={place} />);
      else if (section.kind === "histogram")
        out.push(<HistogramPanel key={card.id} name={card.title} place={place} />);
      else if (isBars(card)) out.push(<BarCard key={key} spec={card} style={place} />);
      else
        out.push(
          <ChartCard
            key={key}
            spec={card}
            style={place}
            drag={{ onDrop: (from) => move(section, from, card.id) }}
          />,
        );
    });
  }
  const none = shown.length === 0;
  return (
    <div class="page-scroll" ref={box} tabIndex={-1} data-scroll="charts">
      {hides ? <NoRunShown /> : null}
      {none && !hides ? (
        <Empty
          icon={view.value.search ? "search" : "eye"}
          title={view.value.search ? "No metric matches" : "No metrics yet"}
        >
          <p>
            {view.value.search ? (
              <>
                Nothing is called <code>{view.value.search}</code>. The search takes regular
                expressions (no back references, no looking ahead).
              </>
            ) : (
              "No scalar was logged so far. This page fills by itself."
            )}
          </p>
        </Empty>
      ) : null}
      <div class="sections" style={{ height: none ? 0 : y + (hidden.value.length ? 48 : 24) }}>
        {out}
        {hidden.value.length && !none ? (
          <div class="section-head" style={{ top: y }}>
            <button
              type="button"
              class="chip hidden-cards"
              aria-pressed={showEmpty.value}
              title={`No visible run has ${hidden.value.slice(0, 12).join(", ")}${hidden.value.length > 12 ? ", …" : ""}`}
              onClick={() => (showEmpty.value = !showEmpty.value)}
            >
              {showEmpty.value
                ? "hide what no visible run has"
                : `${formatInteger(hidden.value.length)} hidden: no visible run has them`}
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}

export function ChartsPage() {
  const full = view.value.full;
  const card = full ? sections.value.flatMap((s) => s.cards).find((c) => c.id === full) : undefined;
  if (nothingYet()) return <WaitingForRuns />;
  return (
    <>
      <RunList />
      <div class="page">
        <ChartToolbar />
        <div class="main" style={{ flex: 1 }}>
          <Sections />
          {card && isBars(card) ? <BarCard key={"full " + card.id} spec={card} full /> : null}
          {card && !isBars(card) ? <ChartCard key={"full " + card.id} spec={card} full /> : null}
        </div>
        <PinStrip />
      </div>
    </>
  );
}
