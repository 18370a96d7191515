// The bar above a page that shows runs: on a phone it opens their list.
import type { ComponentChildren } from "preact";
import { change, view } from "../state/view";
import { IconButton, Search } from "./controls";
import { runSheet } from "./run_list";

export function PageToolbar({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="toolbar" role="toolbar" aria-label={label}>
      <IconButton
        class="phone-only"
        icon="menu"
        label="Runs"
        onClick={() => (runSheet.value = !runSheet.value)}
      />
      {children}
    </div>
  );
}

/** The search that "/" goes to; what stands in it goes along from page to page. */
export function PageSearch({ placeholder, label }: { placeholder: string; label: string }) {
  return (
    <Search
      id="metric-search"
      value={view.value.search}
      onChange={(search) => change({ search }, true)}
      // What can be searched is no use where it is cut.
      placeholder={innerWidth <= 640 ? "Search" : placeholder}
      label={label}
    />
  );
}
