// t-SNE: groups of many dimensions stay groups, the same way every time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tsne } from "../src/lib/tsne";

let seed = 7;
const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;

/** `groups` clouds of `each` vectors, far from each other. */
function clouds(groups: number, each: number, dimensions: number): Float32Array {
  const out = new Float32Array(groups * each * dimensions);
  for (let g = 0; g < groups; g++) {
    const centre = Array.from({ length: dimensions }, () => 20 * next());
    for (let i = 0; i < each; i++)
      for (let d = 0; d < dimensions; d++)
        out[(g * each + i) * dimensions + d] = centre[d] + next();
  }
  return out;
}

test("finding M09: t-SNE keeps each vector beside its own kind, and gives the same picture again", () => {
  const [groups, each, dimensions] = [5, 40, 16];
  const vectors = clouds(groups, each, dimensions);
  for (const components of [2, 3]) {
    const { rows, coordinates } = tsne(vectors, groups * each, dimensions, components);
    assert.equal(rows.length, groups * each);
    assert.ok(coordinates.every(Number.isFinite));
    let right = 0;
    for (let i = 0; i < rows.length; i++) {
      let [best, distance] = [-1, Infinity];
      for (let j = 0; j < rows.length; j++) {
        if (j === i) continue;
        let d = 0;
        for (let k = 0; k < components; k++)
          d += (coordinates[i * components + k] - coordinates[j * components + k]) ** 2;
        if (d < distance) [best, distance] = [j, d];
      }
      right += Number(Math.floor(best / each) === Math.floor(i / each));
    }
    assert.ok(right > 0.98 * rows.length, `${right} of ${rows.length} beside their own kind`);
    assert.deepEqual(tsne(vectors, groups * each, dimensions, components).coordinates, coordinates);
  }
});

test("finding M09: few vectors, equal vectors and broken ones are no trouble for t-SNE", () => {
  assert.equal(tsne(new Float32Array(0), 0, 4, 2).rows.length, 0);
  assert.ok(tsne(new Float32Array(40).fill(1), 10, 4, 2).coordinates.every(Number.isFinite));
  const broken = Float32Array.from([1, 2, NaN, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.deepEqual([...tsne(broken, 6, 2, 2).rows], [0, 2, 3, 4, 5]);
});
