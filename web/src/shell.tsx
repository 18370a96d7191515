// The frame around every page: rail, top bar, banners, dialogs.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ChartsPage } from "./pages/charts";
import { ProjectsPage } from "./pages/projects";
import { TablePage } from "./pages/table";
import { connection, lostSince } from "./state/live";
import { titleOfPage, type Page } from "./state/pages";
import { loadRuns, projects, runById, runs, runsError, runsState, server } from "./state/runs";
import { changeSettings, frame, theme } from "./state/settings";
import { dismiss, toasts } from "./state/toast";
import { history_, view } from "./state/view";
import { AskLayer } from "./ui/ask";
import { doRedo, doUndo, helpOpen, openProject, paletteOpen } from "./ui/commands";
import { IconButton, Select } from "./ui/controls";
import { HelpDialog } from "./ui/help_dialog";
import { Icon } from "./ui/icon";
import { lazy } from "./ui/lazy";
import { LightboxLayer } from "./ui/lightbox_layer";
import { PaletteDialog } from "./ui/palette_dialog";
import { Rail } from "./ui/rail";
import { Failed } from "./ui/states";
import { TooltipLayer } from "./ui/tooltip";

// The compiler asks for each page of the list, and for no other.
const components: Record<Page, ComponentType> = {
  projects: ProjectsPage,
  charts: ChartsPage,
  table: TablePage,
  run: lazy(() => import("./pages/run").then((m) => m.RunPage)),
  compare: lazy(() => import("./pages/compare").then((m) => m.ComparePage)),
  media: lazy(() => import("./pages/media").then((m) => m.MediaPage)),
  distributions: lazy(() => import("./pages/distributions").then((m) => m.DistributionsPage)),
  hparams: lazy(() => import("./pages/hparams").then((m) => m.HparamsPage)),
  system: lazy(() => import("./pages/system").then((m) => m.SystemPage)),
  graph: lazy(() => import("./pages/graph").then((m) => m.GraphPage)),
  profile: lazy(() => import("./pages/profile").then((m) => m.ProfilePage)),
  settings: lazy(() => import("./pages/settings").then((m) => m.SettingsPage)),
};

function Crumbs() {
  const v = view.value;
  const list = projects.value ?? [];
  return (
    <div class="crumbs">
      {v.project ? (
        <Select
          label="Project"
          value={v.project}
          onChange={openProject}
          options={list.map((p) => ({ value: p.name, label: p.name }))}
        />
      ) : (
        <strong>Taffrail</strong>
      )}
      <span class="muted" aria-hidden="true">
        /
      </span>
      {v.page === "run" ? (
        <span class="ellipsis">{(runById.value.get(v.run)?.name ?? v.run) || "Run"}</span>
      ) : (
        <span>{titleOfPage(v.page)}</span>
      )}
    </div>
  );
}

function Connection() {
  const state = connection.value;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (state !== "lost") return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [state]);
  if (state !== "lost") return null;
  return (
    <div class="banner" role="status">
      <Icon name="warn" />
      Disconnected for {Math.max(0, Math.round((now - lostSince.value) / 1000))} s, retrying. What
      you see is what was last received.
    </div>
  );
}

export function Shell() {
  const v = view.value;
  const Page = components[v.page];
  useEffect(() => {
    const run = v.page === "run" ? runById.value.get(v.run)?.name : undefined;
    const parts = [run ?? titleOfPage(v.page), v.project, "Taffrail"];
    document.title = parts.filter(Boolean).join(" · ");
  }, [v.page, v.project, v.run]);
  const live = connection.value;
  // Without the list of runs every page would say that there is nothing; it is not known.
  const runsLost =
    runsState.value === "error" &&
    runs.value.length === 0 &&
    !["projects", "settings", "run", "profile"].includes(v.page);
  return (
    <div class={`shell${frame.value.railPinned ? " rail-pinned" : ""}`}>
      <a
        class="visually-hidden"
        href="#main"
        onClick={(e) => {
          e.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <Rail />
      <header class="top">
        <Crumbs />
        <span class="spacer" />
        {server.value?.read_only ? (
          <span class="chip" title="The server was started with --read-only">
            read-only
          </span>
        ) : null}
        <span
          class={`live-dot ${live}`}
          role="img"
          aria-label={
            live === "live"
              ? "Connected, live"
              : live === "polling"
                ? "Connected by polling"
                : live === "lost"
                  ? "Disconnected"
                  : "Connecting"
          }
          title={live}
        />
        <IconButton
          class="desktop-only"
          icon="undo"
          label="Undo (Ctrl Z)"
          disabled={history_.value.undo === 0}
          onClick={() => doUndo()}
        />
        <IconButton
          class="desktop-only"
          icon="redo"
          label="Redo (Ctrl Shift Z)"
          disabled={history_.value.redo === 0}
          onClick={doRedo}
        />
        <IconButton
          icon="search"
          label="Command palette (Ctrl K)"
          onClick={() => (paletteOpen.value = true)}
        />
        <IconButton
          icon={theme.value === "dark" ? "sun" : "moon"}
          label={theme.value === "dark" ? "Light theme" : "Dark theme"}
          onClick={() => void changeSettings({ theme: theme.value === "dark" ? "light" : "dark" })}
        />
        <IconButton
          class="desktop-only"
          icon="help"
          label="Keyboard map (?)"
          onClick={() => (helpOpen.value = true)}
        />
      </header>
      <main class="main" id="main" tabIndex={-1} data-page={v.page}>
        <div style={{ display: "flex", flexDirection: "column", flex: 1, minWidth: 0 }}>
          <Connection />
          <div class="main" style={{ flex: 1 }}>
            {runsLost ? (
              <div class="page">
                <Failed message={runsError.value} retry={() => void loadRuns()} />
              </div>
            ) : (
              <Page key={v.page} />
            )}
          </div>
        </div>
      </main>
      <TooltipLayer />
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map((t) => (
          <div class={`toast ${t.tone}`} key={t.id}>
            <span>{t.text}</span>
            {t.undo ? (
              <button
                type="button"
                onClick={() => {
                  dismiss(t.id);
                  doUndo(t.undo!);
                }}
              >
                Undo
              </button>
            ) : null}
            <button type="button" aria-label="Dismiss" onClick={() => dismiss(t.id)}>
              ×
            </button>
          </div>
        ))}
      </div>
      <AskLayer />
      <LightboxLayer />
      {paletteOpen.value ? <PaletteDialog /> : null}
      {helpOpen.value ? <HelpDialog /> : null}
    </div>
  );
}
