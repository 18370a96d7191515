// Cells of tables as numbers.
import type { Cell } from "../api/types";

export function numberOf(cell: Cell): number {
  if (typeof cell === "number") return cell;
  if (cell === "NaN") return NaN;
  if (cell === "Infinity") return Infinity;
  if (cell === "-Infinity") return -Infinity;
  return NaN;
}
