// Placeholder.
export function TablePage() {
  return <div class="page page-pad">…</div>;
}
