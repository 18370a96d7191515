// Placeholder.
export function DistributionsPage() {
  return <div class="page page-pad">…</div>;
}
