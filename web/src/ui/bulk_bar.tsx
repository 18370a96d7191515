// What can be done with the ticked runs, all at once.
import { applyEdits, runById, selectOnly } from "../state/runs";
import { theme } from "../state/settings";
import { change, view } from "../state/view";
import { formatInteger } from "../viz/format";
import { darkPalette, lightPalette } from "../viz/palette";
import { askText } from "./ask";
import { Swatch } from "./controls";
import { Icon } from "./icon";
import { PopoverButton } from "./popover";

export function BulkBar() {
  const ids = view.value.compared.filter((id) => runById.value.has(id));
  if (ids.length === 0) return null;
  const what =
    ids.length === 1 ? runById.value.get(ids[0])!.name : `${formatInteger(ids.length)} runs`;
  const tag = async () => {
    const text = (await askText(`Add a tag to ${what}`, "", "Add tag"))?.trim();
    if (text) void applyEdits([{ runs: ids, add_tags: [text] }], `Tagged ${what} with ${text}`);
  };
  const untag = async () => {
    const text = (await askText(`Remove a tag from ${what}`, "", "Remove tag"))?.trim();
    if (text)
      void applyEdits([{ runs: ids, remove_tags: [text] }], `Removed tag ${text} from ${what}`);
  };
  const rename = async () => {
    const run = runById.value.get(ids[0])!;
    const name = (
      await askText(
        ids.length === 1 ? `Rename ${run.name}` : `Rename ${what}: a number is added`,
        run.name,
        "Rename",
      )
    )?.trim();
    if (name)
      void applyEdits(
        ids.map((id, i) => ({ runs: [id], name: ids.length === 1 ? name : `${name}-${i + 1}` })),
        `Renamed ${what}`,
      );
  };
  const note = async () => {
    const text = await askText(
      `Note for ${what} (Markdown)`,
      ids.length === 1 ? runById.value.get(ids[0])!.notes : "",
      "Save note",
      6,
    );
    if (text !== null) void applyEdits([{ runs: ids, notes: text }], `Noted ${what}`);
  };
  return (
    <div
      class="toolbar"
      role="toolbar"
      aria-label="Ticked runs"
      style={{ background: "var(--accent-soft)" }}
    >
      <strong>{what} ticked</strong>
      <button
        type="button"
        class="button primary"
        disabled={ids.length < 2}
        onClick={() => change({ page: "compare" })}
      >
        <Icon name="compare" />
        Compare
      </button>
      <button type="button" class="button" onClick={() => selectOnly(ids)}>
        <Icon name="eye" />
        Show only these
      </button>
      <button type="button" class="button" onClick={() => void tag()}>
        <Icon name="tag" />
        Tag
      </button>
      <button type="button" class="button" onClick={() => void untag()}>
        Untag
      </button>
      <button type="button" class="button" onClick={() => void rename()}>
        <Icon name="edit" />
        Rename
      </button>
      <button type="button" class="button" onClick={() => void note()}>
        Note
      </button>
      <PopoverButton
        label="Colour"
        trigger={
          <>
            <Icon name="palette" />
            Colour
          </>
        }
      >
        {(close) => (
          <div class="row">
            {(theme.value === "dark" ? darkPalette : lightPalette).map((color) => (
              <button
                type="button"
                key={color}
                class="icon-button"
                aria-label={`Colour ${color}`}
                onClick={() => {
                  close();
                  void applyEdits([{ runs: ids, color }], `Coloured ${what}`);
                }}
              >
                <Swatch color={color} />
              </button>
            ))}
            <button
              type="button"
              class="button"
              onClick={() => {
                close();
                void applyEdits([{ runs: ids, color: "" }], `Automatic colour for ${what}`);
              }}
            >
              Automatic
            </button>
          </div>
        )}
      </PopoverButton>
      <button
        type="button"
        class="button"
        onClick={() => void applyEdits([{ runs: ids, archived: true }], `Archived ${what}`)}
      >
        <Icon name="archive" />
        Archive
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          change({ compared: [] });
          void applyEdits([{ runs: ids, deleted: true }], `Moved ${what} to the trash`);
        }}
      >
        <Icon name="trash" />
        Delete
      </button>
      <span class="spacer" />
      <button type="button" class="button" onClick={() => change({ compared: [] })}>
        Clear
      </button>
    </div>
  );
}
