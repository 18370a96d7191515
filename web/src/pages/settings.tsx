// What a person prefers, what the server is, and the trash.
import { post } from "../api/client";
import type { Runs } from "../api/types";
import { applyEdits, server } from "../state/runs";
import { changeSettings, settings } from "../state/settings";
import { view } from "../state/view";
import { helpOpen } from "../ui/commands";
import { Segmented } from "../ui/controls";
import { useLoad } from "../ui/use_load";
import { formatTime } from "../viz/format";

function Trash() {
  const { value, again } = useLoad(
    "trash " + view.value.project,
    () =>
      post<Runs>("runs:query", {
        project: view.value.project || undefined,
        deleted: "only",
        archived: "include",
        directory: false,
      }),
    () => true,
  );
  const list = value?.runs;
  return (
    <section class="card">
      <h2>Trash</h2>
      {list?.id.length ? (
        <table class="plain-table">
          <tbody>
            {list.id.map((id, i) => (
              <tr key={id}>
                <td>{list.name[i]}</td>
                <td class="muted">{list.project[i]}</td>
                <td class="muted">{formatTime(list.start_ms[i])}</td>
                <td class="number">
                  <button
                    type="button"
                    class="button"
                    onClick={() =>
                      void applyEdits(
                        [{ runs: [id], deleted: false }],
                        `Restored ${list.name[i]}`,
                      ).then(again)
                    }
                  >
                    Restore
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="muted">
          Empty. Deleted runs wait here until <code>taffrail gc</code>.
        </p>
      )}
    </section>
  );
}

export function SettingsPage() {
  const s = settings.value;
  const info = server.value;
  return (
    <div class="page page-scroll page-pad">
      <h1 style={{ marginBottom: 12 }}>Settings</h1>
      <div class="stack" style={{ maxWidth: 720, gap: 12 }}>
        <section class="card">
          <h2 style={{ marginBottom: 8 }}>Appearance</h2>
          <div class="form-grid">
            <span class="label">theme</span>
            <div>
              <Segmented
                label="Theme"
                value={s.theme ?? "system"}
                onChange={(theme) => void changeSettings({ theme })}
                options={[
                  { value: "system", label: "system" },
                  { value: "light", label: "light" },
                  { value: "dark", label: "dark" },
                ]}
              />
            </div>
            <span class="label">density</span>
            <div>
              <Segmented
                label="Density"
                value={s.density ?? "normal"}
                onChange={(density) => void changeSettings({ density })}
                options={[
                  { value: "compact", label: "compact" },
                  { value: "normal", label: "normal" },
                  { value: "comfortable", label: "comfortable" },
                ]}
              />
            </div>
            <span class="label">keyboard</span>
            <div>
              <button type="button" class="button" onClick={() => (helpOpen.value = true)}>
                Show the keyboard map
              </button>
            </div>
          </div>
        </section>
        <section class="card">
          <h2 style={{ marginBottom: 8 }}>Server</h2>
          {info ? (
            <dl class="key-value">
              <dt>version</dt>
              <dd>{info.version}</dd>
              <dt>mode</dt>
              <dd>{info.read_only ? "read-only" : "changes allowed"}</dd>
              {info.roots.map((r) => (
                <>
                  <dt>{r.name || "root"}</dt>
                  <dd class="mono">
                    {r.location} <span class="muted">({r.source})</span>
                  </dd>
                </>
              ))}
            </dl>
          ) : (
            <p class="muted">Not reached.</p>
          )}
          <p class="small muted underlined" style={{ marginTop: 8 }}>
            No account, no telemetry; nothing leaves this server.{" "}
            <a href="licences.txt" target="_blank" rel="noopener">
              Licences
            </a>{" "}
            ·{" "}
            <a href="api/v1/openapi.json" target="_blank" rel="noopener">
              HTTP API
            </a>
          </p>
        </section>
        <Trash />
      </div>
    </div>
  );
}
