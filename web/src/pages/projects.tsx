// All projects, and what to do when there is nothing yet.
import { loadProjects, projects, projectsError, server, unreadable } from "../state/runs";
import { view } from "../state/view";
import { openProject } from "../ui/commands";
import { CopyBlock, Empty, Failed, Skeleton } from "../ui/states";
import { formatAgo, formatInteger } from "../viz/format";

/** The shortest program that records, in both languages. */
function programs(): [string, string][] {
  const project = JSON.stringify(view.value.project || "digits");
  return [
    [
      "Python",
      `import taffrail\nrun = taffrail.init(project=${project})\nrun.log({"train/loss": loss}, step=step)`,
    ],
    [
      "C++",
      `#include <taffrail/taffrail.h>\nauto run = taffrail::init({.project = ${project}});\nrun.log("train/loss", loss, step);`,
    ],
  ];
}

/** What is there and cannot be shown, with the reason; nothing where all is well. */
export function UnreadableRuns() {
  const list = unreadable.value;
  if (list.length === 0) return null;
  return (
    <div class="card unreadable" role="alert">
      <h2>
        {list.length === 1
          ? "One run cannot be read"
          : `${formatInteger(list.length)} runs cannot be read`}
      </h2>
      <ul>
        {list.slice(0, 20).map((run) => (
          <li key={run.location}>
            <code>{run.location}</code>: {run.reason}
          </li>
        ))}
      </ul>
      {list.length > 20 ? (
        <p class="muted small">and {formatInteger(list.length - 20)} more</p>
      ) : null}
    </div>
  );
}

export function WaitingForRuns() {
  if (unreadable.value.length > 0)
    return (
      <div class="page page-pad">
        <UnreadableRuns />
      </div>
    );
  return (
    <div class="page">
      <Empty icon="charts" title="Waiting for the first run">
        <p>
          Record one with three lines; this page fills by itself. Looking in{" "}
          <code>{server.value?.roots.map((r) => r.location).join(", ") || "…"}</code>
        </p>
        <div class="programs">
          {programs().map(([language, text]) => (
            <div key={language}>
              <h3>{language}</h3>
              <CopyBlock text={text} />
            </div>
          ))}
        </div>
      </Empty>
    </div>
  );
}

export function ProjectsPage() {
  const list = projects.value;
  if (!list && projectsError.value)
    return (
      <div class="page">
        <Failed message={projectsError.value} retry={() => void loadProjects()} />
      </div>
    );
  if (!list)
    return (
      <div class="page page-pad">
        <Skeleton height={200} />
      </div>
    );
  if (list.length === 0) return <WaitingForRuns />;
  const now = Date.now();
  return (
    <div class="page page-scroll page-pad">
      <h1 style={{ marginBottom: 12 }}>Projects</h1>
      <UnreadableRuns />
      <div class="project-grid">
        {list.map((p) => (
          <button
            type="button"
            class="card project"
            key={p.name}
            onClick={() => openProject(p.name)}
          >
            <div class="row">
              <h2 class="ellipsis">{p.name}</h2>
              <span class="spacer" />
              {p.running ? <span class="chip good">{p.running} running</span> : null}
              {p.failed ? <span class="chip bad">{p.failed} failed</span> : null}
            </div>
            <div class="hero">
              {formatInteger(p.runs)} <span class="muted">{p.runs === 1 ? "run" : "runs"}</span>
            </div>
            <div class="muted small ellipsis">{p.recent.join(" · ")}</div>
            <div class="muted small">last activity {formatAgo(p.last_ms, now)}</div>
          </button>
        ))}
      </div>
    </div>
  );
}
