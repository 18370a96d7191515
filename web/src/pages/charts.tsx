// The charts page: sections by prefix, only cards in sight are mounted.
import { computed } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keys, runs, runsState } from "../state/runs";
import { change, view } from "../state/view";
import { ChartCard } from "../ui/chart_card";
import { ChartToolbar } from "../ui/chart_toolbar";
import { Icon } from "../ui/icon";
import { HistogramPanel, MediaCard } from "../ui/media_card";
import { PinStrip } from "../ui/pin_strip";
import { RunList } from "../ui/run_list";
import { Empty } from "../ui/states";
import { WaitingForRuns } from "./projects";
import { sectionsOf, type Section } from "./charts_sections";

const sizes = {
  s: { width: 280, height: 180 },
  m: { width: 360, height: 250 },
  l: { width: 560, height: 340 },
};
const gap = 12;

const sections = computed<Section[]>(() => {
  const { search, pinnedMetrics, closed, order, extra } = view.value;
  return sectionsOf(keys.value, { search, pinnedMetrics, closed, order, extra });
});

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
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const { width, height } = sizes[view.value.size];
  const perRow = Math.max(1, Math.floor((port.width - gap) / (width + gap)));
  const cardWidth = Math.floor((port.width - gap) / perRow) - gap;
  let y = 4;
  const out = [];
  for (const section of sections.value) {
    out.push(
      <div class="section-head" key={"head " + section.name} style={{ top: y }}>
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
          <span class="count">{section.cards.length}</span>
        </button>
      </div>,
    );
    y += 34;
    if (!section.open) continue;
    section.cards.forEach((card, i) => {
      const top = y + Math.floor(i / perRow) * (height + gap);
      if (top + height < port.top - 250 || top > port.top + port.height + 250) return;
      const place = { left: gap + (i % perRow) * (cardWidth + gap), top, width: cardWidth, height };
      if (section.kind === "media")
        out.push(<MediaCard key={card.id} name={card.title} place={place} />);
      else if (section.kind === "histogram")
        out.push(<HistogramPanel key={card.id} name={card.title} place={place} />);
      else
        out.push(
          <ChartCard
            key={section.name + " " + card.id}
            spec={card}
            style={place}
            drag={{ onDrop: (from) => move(section, from, card.id) }}
          />,
        );
    });
    y += Math.ceil(section.cards.length / perRow) * (height + gap) + 4;
  }
  const none = sections.value.length === 0;
  return (
    <div class="page-scroll" ref={box} tabIndex={-1} data-scroll="charts">
      {none ? (
        <Empty icon="search" title={view.value.search ? "No metric matches" : "No metrics yet"}>
          <p>
            {view.value.search ? (
              <>
                Nothing is called <code>{view.value.search}</code>. The search takes regular
                expressions (no back references, no looking ahead).
              </>
            ) : (
              "This project has runs but no scalar was logged so far. This page fills by itself."
            )}
          </p>
        </Empty>
      ) : null}
      <div class="sections" style={{ height: none ? 0 : y + 24 }}>
        {out}
      </div>
    </div>
  );
}

export function ChartsPage() {
  const full = view.value.full;
  const card = full ? sections.value.flatMap((s) => s.cards).find((c) => c.id === full) : undefined;
  if (runsState.value === "ready" && runs.value.length === 0) return <WaitingForRuns />;
  return (
    <>
      <RunList />
      <div class="page">
        <ChartToolbar />
        <div class="main" style={{ flex: 1 }}>
          <Sections />
          {card ? <ChartCard key={"full " + card.id} spec={card} full /> : null}
        </div>
        <PinStrip />
      </div>
    </>
  );
}
