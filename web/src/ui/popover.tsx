// Popovers, menus and dialogs: light dismissal, focus kept inside and given back.
import type { ComponentChildren } from "preact";
import { createPortal } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";

const focusable =
  'button:not([disabled]), [href], input:not([disabled]), select, textarea, [tabindex]:not([tabindex="-1"])';

/**
 * Tab stays inside `element`; Escape calls close; focus returns to where it was. There with the
 * element itself: a key pressed before the next frame counts already.
 */
function useFocusTrap(
  element: { current: HTMLElement | null },
  close: () => void,
  initial = true,
): void {
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const box = element.current!;
    if (initial)
      (
        box.querySelector<HTMLElement>("[autofocus]") ??
        box.querySelector<HTMLElement>(focusable) ??
        box
      ).focus({ preventScroll: true });
    const key = (event: KeyboardEvent) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        close();
        return;
      }
      if (event.key !== "Tab") return;
      const list = [...box.querySelectorAll<HTMLElement>(focusable)].filter(
        (e) => e.offsetParent !== null,
      );
      if (!list.length) return;
      const first = list[0];
      const last = list[list.length - 1];
      if (event.shiftKey && document.activeElement === first) {
        last.focus();
        event.preventDefault();
      } else if (!event.shiftKey && document.activeElement === last) {
        first.focus();
        event.preventDefault();
      }
    };
    box.addEventListener("keydown", key);
    return () => {
      box.removeEventListener("keydown", key);
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
}

export function Popover({
  anchor,
  close,
  children,
  menu,
  label,
}: {
  anchor: HTMLElement | { x: number; y: number };
  close: () => void;
  children: ComponentChildren;
  menu?: boolean;
  label: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  useFocusTrap(box, close);
  useLayoutEffect(() => {
    const element = box.current!;
    const a =
      anchor instanceof HTMLElement
        ? anchor.getBoundingClientRect()
        : { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
    const { width, height } = element.getBoundingClientRect();
    let left = a.left;
    if (left + width > innerWidth - 8) left = Math.max(8, a.right - width);
    let top = a.bottom + 4;
    if (top + height > innerHeight - 8) top = Math.max(8, a.top - height - 4);
    element.style.left = Math.max(8, left) + "px";
    element.style.top = top + "px";
  });
  useLayoutEffect(() => {
    const down = (event: PointerEvent) => {
      const target = event.target as Node;
      if (
        box.current?.contains(target) ||
        (anchor instanceof HTMLElement && anchor.contains(target))
      )
        return;
      close();
    };
    document.addEventListener("pointerdown", down, true);
    return () => document.removeEventListener("pointerdown", down, true);
  }, []);
  const arrows = (event: KeyboardEvent) => {
    if (!menu || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    const items = [...box.current!.querySelectorAll<HTMLElement>(".menu-item")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length]?.focus();
    event.preventDefault();
  };
  return createPortal(
    <div
      ref={box}
      class={`popover${menu ? " menu" : ""}`}
      role={menu ? "menu" : "dialog"}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={arrows}
    >
      {children}
    </div>,
    document.body,
  );
}

export function MenuItem({
  icon,
  children,
  onClick,
  hint,
  danger,
  href,
  download,
}: {
  icon?: IconName;
  children: ComponentChildren;
  onClick?: () => void;
  hint?: string;
  danger?: boolean;
  href?: string;
  download?: string;
}) {
  const content = (
    <>
      {icon ? <Icon name={icon} /> : null}
      <span class={danger ? "bad" : ""}>{children}</span>
      {hint ? <span class="hint">{hint}</span> : null}
    </>
  );
  if (href)
    return (
      <a class="menu-item" role="menuitem" href={href} download={download} onClick={onClick}>
        {content}
      </a>
    );
  return (
    <button type="button" class="menu-item" role="menuitem" onClick={onClick}>
      {content}
    </button>
  );
}

/** A button that opens a popover below itself. `children` receives the function that closes it. */
export function PopoverButton({
  trigger,
  children,
  menu,
  label,
  class: name = "button",
  hint,
}: {
  trigger: ComponentChildren;
  children: (close: () => void) => ComponentChildren;
  menu?: boolean;
  label: string;
  class?: string;
  hint?: string;
}) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={anchor}
        type="button"
        class={name}
        aria-haspopup={menu ? "menu" : "dialog"}
        aria-expanded={open}
        aria-label={label}
        title={hint ?? label}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </button>
      {open ? (
        <Popover anchor={anchor.current!} close={() => setOpen(false)} menu={menu} label={label}>
          {children(() => setOpen(false))}
        </Popover>
      ) : null}
    </>
  );
}

export function Dialog({
  title,
  close,
  children,
  wide,
  class: extra,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
  wide?: boolean;
  class?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  useFocusTrap(box, close);
  return createPortal(
    <div class="scrim" onPointerDown={(e) => e.target === e.currentTarget && close()}>
      <div
        ref={box}
        class={`dialog${wide ? " wide" : ""} ${extra ?? ""}`}
        role="dialog"
        aria-modal="true"
        aria-label={title}
        tabIndex={-1}
      >
        {children}
      </div>
    </div>,
    document.body,
  );
}
