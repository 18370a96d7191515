// Placeholder.
export function MediaPage() {
  return <div class="page page-pad">…</div>;
}
