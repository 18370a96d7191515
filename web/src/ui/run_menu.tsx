// What can be done with one run, from its row.
import { applyEdits, selectOnly, type Run } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { darkPalette, lightPalette } from "../viz/palette";
import { askText } from "./ask";
import { IconButton, Swatch } from "./controls";
import { MenuItem, Popover } from "./popover";

export function RunMenu({
  run,
  anchor,
  close,
}: {
  run: Run;
  anchor: HTMLElement | { x: number; y: number };
  close: () => void;
}) {
  const v = view.value;
  const palette = theme.value === "dark" ? darkPalette : lightPalette;
  const rename = async () => {
    const name = (await askText(`Rename ${run.name}`, run.name, "Rename"))?.trim();
    if (name && name !== run.name)
      void applyEdits([{ runs: [run.id], name }], `Renamed to ${name}`);
  };
  const tag = async () => {
    const text = (await askText(`Add a tag to ${run.name}`, "", "Add tag"))?.trim();
    if (text) void applyEdits([{ runs: [run.id], add_tags: [text] }], `Tagged ${run.name}`);
  };
  return (
    <Popover anchor={anchor} close={close} menu label={`Actions for ${run.name}`}>
      <div onClick={close}>
        <MenuItem
          icon="expand"
          onClick={() => change({ page: "run", run: run.id, tab: "overview" })}
          hint="Enter"
        >
          Open run
        </MenuItem>
        <MenuItem icon="eye" onClick={() => selectOnly([run.id])}>
          Show only this run
        </MenuItem>
        <MenuItem
          icon="star"
          onClick={() => change({ baseline: v.baseline === run.id ? "" : run.id })}
        >
          {v.baseline === run.id ? "No longer the baseline" : "Use as baseline"}
        </MenuItem>
        <MenuItem
          icon="compare"
          onClick={() =>
            change({
              compared: v.compared.includes(run.id)
                ? v.compared.filter((id) => id !== run.id)
                : [...v.compared, run.id],
            })
          }
        >
          {v.compared.includes(run.id) ? "Take out of compare" : "Add to compare"}
        </MenuItem>
        <div class="menu-line" />
        <MenuItem icon="edit" onClick={() => void rename()}>
          Rename…
        </MenuItem>
        <MenuItem icon="tag" onClick={() => void tag()}>
          Add tag…
        </MenuItem>
        <MenuItem
          icon="archive"
          onClick={() =>
            void applyEdits(
              [{ runs: [run.id], archived: !run.archived }],
              run.archived ? `Unarchived ${run.name}` : `Archived ${run.name}`,
            )
          }
        >
          {run.archived ? "Unarchive" : "Archive"}
        </MenuItem>
        <MenuItem
          icon="trash"
          danger
          onClick={() =>
            void applyEdits([{ runs: [run.id], deleted: true }], `Moved ${run.name} to the trash`)
          }
        >
          Delete
        </MenuItem>
        <div class="color-choice" role="group" aria-label="Colour">
          {palette.map((color) => (
            <button
              type="button"
              key={color}
              class="icon-button tiny"
              aria-label={`Colour ${color}`}
              onClick={() => void applyEdits([{ runs: [run.id], color }], `Coloured ${run.name}`)}
            >
              <Swatch color={color} />
            </button>
          ))}
          <IconButton
            tiny
            icon="close"
            label="Automatic colour"
            onClick={() =>
              void applyEdits([{ runs: [run.id], color: "" }], `Automatic colour for ${run.name}`)
            }
          />
        </div>
      </div>
    </Popover>
  );
}
