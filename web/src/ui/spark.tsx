// Sparklines of a metric for the rows in sight: one question per column, a path per run.
import { useEffect, useRef, useState } from "preact/hooks";
import { Feed } from "../state/feed";
import type { ChartData } from "../viz/chart_data";

const width = 56;
const height = 18;

function paths(data: ChartData): Map<string, string> {
  const out = new Map<string, string>();
  data.series.forEach((info, s) => {
    const { starts, line } = data.raster;
    let low = Infinity;
    let high = -Infinity;
    for (let i = starts[s]; i < starts[s + 1]; i++) {
      if (line[i] < low) low = line[i];
      if (line[i] > high) high = line[i];
    }
    const n = starts[s + 1] - starts[s];
    let d = "";
    for (let i = 0; i < n; i++) {
      const v = line[starts[s] + i];
      if (v !== v) continue;
      const x = n > 1 ? 1 + (i / (n - 1)) * (width - 2) : width / 2;
      const y = high > low ? 2 + (1 - (v - low) / (high - low)) * (height - 4) : height / 2;
      d += `${d ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    out.set(info.run, d);
  });
  return out;
}

/** Paths by run for `key`; empty until they are there. */
export function useSparks(key: string | null, runs: string[]): Map<string, string> {
  const [map, setMap] = useState(new Map<string, string>());
  const feed = useRef<Feed | null>(null);
  useEffect(() => {
    const f = new Feed(() => f.data && setMap(paths(f.data)));
    feed.current = f;
    return () => f.destroy();
  }, [key]);
  const signature = runs.join("\n");
  useEffect(() => {
    feed.current?.ask(
      key && runs.length
        ? {
            runs,
            keys: [key],
            x: { axis: "step" },
            width: 28,
            raw_limit: 28,
            fields: ["mean"],
            precision: "f32",
          }
        : null,
    );
  }, [key, signature]);
  return map;
}

export function Spark({ path, color }: { path: string | undefined; color: string }) {
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {path ? <path d={path} fill="none" stroke={color} stroke-width="1.2" /> : null}
    </svg>
  );
}
