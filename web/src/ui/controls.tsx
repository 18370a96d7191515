// Small controls used on every page.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";
import { useTyped } from "./use_typed";

interface IconButtonProps extends Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "icon" | "disabled"
> {
  icon: IconName;
  label: string;
  pressed?: boolean;
  tiny?: boolean;
  disabled?: boolean;
}

export function IconButton({ icon, label, pressed, tiny, class: extra, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button${tiny ? " tiny" : ""}${extra ? " " + String(extra) : ""}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed === undefined ? undefined : pressed}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

export interface Option<T extends string> {
  value: T;
  label: string;
}

export function Select<T extends string>({
  value,
  options,
  onChange,
  label,
  ...rest
}: {
  value: T;
  options: Option<T>[];
  onChange: (value: T) => void;
  label: string;
  id?: string;
  class?: string;
}) {
  return (
    <select
      class={`select ${rest.class ?? ""}`}
      id={rest.id}
      aria-label={label}
      title={label}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value as T)}
    >
      {options.some((o) => o.value === value) ? null : <option value={value}>{value}</option>}
      {options.map((o) => (
        <option key={o.value} value={o.value}>
          {o.label}
        </option>
      ))}
    </select>
  );
}

interface Choosing<T extends string> {
  value: T;
  options: Option<T>[];
  onChange: (value: T) => void;
  label: string;
}

function Choices<T extends string>({
  value,
  options,
  onChange,
  label,
  tabs,
}: Choosing<T> & { tabs: boolean }) {
  return (
    <div class={tabs ? "tabs" : "segmented"} role={tabs ? "tablist" : "group"} aria-label={label}>
      {options.map((o) => (
        <button
          type="button"
          role={tabs ? "tab" : undefined}
          key={o.value}
          aria-selected={tabs ? o.value === value : undefined}
          aria-pressed={tabs ? undefined : o.value === value}
          onClick={() => onChange(o.value)}
        >
          {o.label}
        </button>
      ))}
    </div>
  );
}

export function Segmented<T extends string>(choosing: Choosing<T>) {
  return <Choices {...choosing} tabs={false} />;
}

/** The same as places to go to. */
export function Tabs<T extends string>(choosing: Choosing<T>) {
  return <Choices {...choosing} tabs={true} />;
}

export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (on: boolean) => void;
  children: ComponentChildren;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={(e) => onChange(e.currentTarget.checked)}
      />
      {children}
    </label>
  );
}

/** A search box that reports after a short rest, and at once on Enter. */
export function Search({
  value,
  onChange,
  placeholder,
  label,
  wrong,
  icon = "search",
  id,
}: {
  value: string;
  onChange: (text: string) => void;
  placeholder: string;
  label: string;
  wrong?: boolean;
  icon?: IconName;
  id?: string;
}) {
  const { text, type, send, clear } = useTyped(value, onChange);
  return (
    <div class="search">
      <Icon name={icon} />
      <input
        class={`input${wrong ? " wrong" : ""}`}
        id={id}
        type="text"
        value={text}
        placeholder={placeholder}
        aria-label={label}
        aria-invalid={wrong || undefined}
        spellcheck={false}
        autocomplete="off"
        onInput={(e) => type(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter") send(e.currentTarget.value);
          if (e.key === "Escape") {
            if (text) clear();
            else e.currentTarget.blur();
            e.stopPropagation();
          }
        }}
      />
      {text ? <IconButton icon="close" label="Clear" onClick={clear} /> : null}
    </div>
  );
}

/** The colour of a run, or how its line looks. */
export function Swatch({
  color,
  dash,
  line,
}: {
  color: string;
  dash?: readonly [number, number] | null;
  line?: boolean; // also where there is no dash
}) {
  if (!dash && !line) return <span class="swatch" style={{ color }} />;
  return (
    <svg class="dash-swatch" viewBox="0 0 18 10" aria-hidden="true">
      <path d="M0 5h18" stroke={color} stroke-width="3" stroke-dasharray={dash?.join(" ")} />
    </svg>
  );
}
