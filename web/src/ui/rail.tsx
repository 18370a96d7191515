// The rail of pages: icons, with their names while the pointer or the focus is on it, or always.
import { useEffect, useRef, useState } from "preact/hooks";
import { pageKeys } from "../state/pages";
import { server } from "../state/runs";
import { changeFrame, frame } from "../state/settings";
import { change, encodeView, view } from "../state/view";
import { Icon, type IconName } from "./icon";

/** The pointer may be on its way elsewhere. */
const delayMs = 150;

/** A link that changes the view; the address works in a new tab too. */
function ViewLink({
  to,
  children,
  label,
  current,
  class: name,
}: {
  to: Partial<ReturnType<typeof view.peek>>;
  children: preact.ComponentChildren;
  label?: string;
  current?: boolean;
  class?: string;
}) {
  return (
    <a
      href={encodeView({ ...view.value, ...to })}
      class={name}
      aria-label={label}
      title={label}
      aria-current={current ? "page" : undefined}
      onClick={(e) => {
        if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
        e.preventDefault();
        change(to);
      }}
    >
      {children}
    </a>
  );
}

export function Rail() {
  const { page, project } = view.value;
  const [open, setOpen] = useState(false);
  const timer = useRef(0);
  const show = (on: boolean, after = 0) => {
    clearTimeout(timer.current);
    if (after) timer.current = window.setTimeout(() => setOpen(on), after);
    else setOpen(on);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const pinned = frame.value.railPinned;
  return (
    <nav
      class={`rail${open || pinned ? " open" : ""}`}
      aria-label="Pages"
      onPointerEnter={(e) => e.pointerType === "mouse" && show(true, delayMs)}
      onPointerLeave={() => show(false)}
      onFocusIn={(e) => (e.target as Element).matches(":focus-visible") && show(true)}
      onFocusOut={() => show(false)}
      // Chosen: what it covered is of interest now.
      onClick={() => show(false)}
    >
      <div class="rail-inside">
        <ViewLink to={{ page: "projects" }} label="Taffrail" class="logo">
          <Icon name="logo" />
          <span class="rail-word">Taffrail</span>
        </ViewLink>
        {pageKeys
          .filter((p) => p.page !== "settings")
          .map((p) =>
            project || p.page === "projects" || (p.page === "profile" && server.value?.profiles) ? (
              <ViewLink
                key={p.page}
                to={{ page: p.page, full: "" }}
                label={`${p.title} (g ${p.key})`}
                current={page === p.page || (page === "run" && p.page === "charts")}
              >
                <Icon name={p.page as IconName} />
                <span class="rail-word">{p.title}</span>
              </ViewLink>
            ) : null,
          )}
        <span class="spacer" />
        <ViewLink to={{ page: "settings" }} label="Settings (g ,)" current={page === "settings"}>
          <Icon name="settings" />
          <span class="rail-word">Settings</span>
        </ViewLink>
        <button
          type="button"
          class="desktop-only rail-pin"
          aria-pressed={pinned}
          aria-label={pinned ? "Fold the names of pages" : "Keep the names of pages open"}
          title={pinned ? "Fold the names of pages" : "Keep the names of pages open"}
          onClick={(e) => {
            e.stopPropagation();
            changeFrame({ railPinned: !pinned });
            show(false);
          }}
        >
          <Icon name="pin" />
          <span class="rail-word">{pinned ? "Fold" : "Keep open"}</span>
        </button>
      </div>
    </nav>
  );
}
