// Placeholder.
export function SettingsPage() {
  return <div class="page page-pad">…</div>;
}
