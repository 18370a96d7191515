// Placeholder.
export function RunPage() {
  return <div class="page page-pad">…</div>;
}
