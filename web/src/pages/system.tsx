// Placeholder.
export function SystemPage() {
  return <div class="page page-pad">…</div>;
}
