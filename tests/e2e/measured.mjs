// Tests that measure times want the machine to themselves, the others do not: what runs all of them
// runs such a file twice. TAFFRAIL_E2E_TIMES is "none" beside other work, "only" alone; unset: all.
import { test as every } from "node:test";

/** How the titles of those begin that measure times. */
export const measured = [
  "6: new points are on the screen within a second",
  "7: a server that is killed gives a banner",
  "13: five thousand images: a seek is quick",
  "22: light, dark and the system's change while open",
];

const which = process.env.TAFFRAIL_E2E_TIMES;

export function test(title, ...rest) {
  const left = measured.some((begin) => title.startsWith(begin)) ? "none" : "only";
  return which === left ? undefined : every(title, ...rest);
}
