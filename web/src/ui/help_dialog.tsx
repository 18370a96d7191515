// The keyboard map.
import { commands, helpOpen } from "./commands";
import { Dialog } from "./popover";

const chartKeys: [string, string][] = [
  ["drag", "zoom a box; along the ruler: a range"],
  ["Shift drag", "pan"],
  ["wheel", "zoom x (click the chart first)"],
  ["Ctrl wheel", "zoom y"],
  ["double click", "reset"],
  ["← →", "move the cursor, Shift by ten"],
  ["Enter", "pin the step"],
  ["+ − 0", "zoom in, out, reset"],
  ["[ ]", "zoom back, forward"],
  ["f", "show large"],
  ["Space", "freeze the tooltip"],
  ["c", "copy the tooltip"],
];

export function HelpDialog() {
  const groups = new Map<string, [string, string][]>([["On a chart", chartKeys]]);
  for (const c of commands()) {
    if (!c.keys) continue;
    if (!groups.has(c.group)) groups.set(c.group, []);
    groups.get(c.group)!.push([c.keys, c.name.replace(/^Go to /, "")]);
  }
  return (
    <Dialog title="Keyboard map" close={() => (helpOpen.value = false)} class="wide">
      <div class="row">
        <h2>Keyboard map</h2>
        <span class="spacer" />
        <button type="button" class="button" onClick={() => (helpOpen.value = false)}>
          Close
        </button>
      </div>
      <div class="help-grid">
        {[...groups].map(([name, list]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {list.map(([key, what]) => (
                <>
                  <dt>
                    {key.split(" ").map((k, i) => (
                      <>
                        <kbd key={i}>{k}</kbd>{" "}
                      </>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
