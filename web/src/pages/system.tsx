// Placeholder.
export function SystemPanels({ run }: { run: string }) {
  return <div>{run}</div>;
}
export function SystemPage() {
  return <div class="page page-pad">…</div>;
}
