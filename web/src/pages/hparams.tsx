// Placeholder.
export function HparamsPage() {
  return <div class="page page-pad">…</div>;
}
