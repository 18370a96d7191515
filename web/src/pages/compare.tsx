// Placeholder.
export function ComparePage() {
  return <div class="page page-pad">…</div>;
}
