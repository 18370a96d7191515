// Placeholder.
export function GraphPage() {
  return <div class="page page-pad">…</div>;
}
