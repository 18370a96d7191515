// Start of the dashboard.
import { render } from "preact";
import { forgetEarly } from "./api/client";
import { refreshColumns } from "./state/columns";
import { feedStats } from "./state/feed";
import { listenLive, startLive } from "./state/live";
import {
  keys,
  loadProjects,
  loadRuns,
  loadServer,
  projects,
  projectsError,
  refreshFilter,
  runById,
  runs,
} from "./state/runs";
import { loadSettings } from "./state/settings";
import { settle, view } from "./state/view";
import { startKeyboard } from "./ui/keyboard";
import { Shell } from "./shell";
import { rasterStats, startRaster } from "./viz/raster_client";

// Read by the browser tests and benchmarks; holds counters, no behaviour.
Object.assign(window, {
  __taffrail: { stats: { feed: feedStats, raster: rasterStats }, view: () => view.value },
});

function later(delay: () => number, run: () => void): () => void {
  let timer = 0;
  return () => {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      run();
    }, delay());
  };
}

/** One project is no choice: open it. */
function openOnly(): void {
  const { project, page } = view.peek();
  if (project || page === "settings" || projects.value?.length !== 1) return;
  settle({
    project: projects.value[0].name,
    page: page === "projects" && !location.hash.includes("?") ? "charts" : page,
  });
}

async function start(): Promise<void> {
  startRaster();
  render(<Shell />, document.getElementById("app")!);
  startKeyboard();
  await Promise.allSettled([loadProjects(), loadServer(), loadSettings()]);
  forgetEarly();
  while (projectsError.value) {
    await new Promise((done) => setTimeout(done, 3000));
    await loadProjects();
  }
  openOnly();
  const reload = later(
    () => 500,
    () => {
      void loadProjects().then(() => {
        // A page without a project waited for the first one to appear.
        if (!/^(projects|settings)$/.test(view.peek().page)) openOnly();
      });
      void loadRuns();
    },
  );
  // What stands beside the names follows, as the charts do; with many runs a reply is long.
  const valuesSoon = later(
    () => (runs.value.length > 200 ? 10_000 : 2000),
    () => {
      refreshColumns();
      refreshFilter();
    },
  );
  listenLive({
    runs: reload,
    behind: reload,
    reset: reload,
    series(event) {
      // A metric seen for the first time: the list of keys has to grow.
      const known = new Set(keys.value.map((k) => k.key));
      if (event.grew.some((g) => runById.value.has(g.run) && g.keys.some((k) => !known.has(k))))
        reload();
      if (event.grew.some((g) => runById.value.has(g.run))) valuesSoon();
    },
  });
  startLive();
}

void start();
