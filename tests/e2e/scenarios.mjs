// Data for the server under test: the seeded runs of generator/ as native runs, written by
// e2e_writer, which also keeps the live ones growing. What was generated also lies as plain files
// in a folder of its own: the truth that Python compares the pages with.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeRuns } from "./generator/data.mjs";
import { blob } from "./generator/files.mjs";
import { writeEventFile } from "./tensorboard.mjs";

/** Commands to e2e_writer, one line of JSON each, blobs behind. */
class Writer {
  constructor(program, root) {
    this.child = spawn(program, [root], { stdio: ["pipe", "pipe", "inherit"] });
    this.ended = once(this.child, "exit");
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async send(command, blobs = []) {
    if (this.child.exitCode !== null)
      throw new Error(`e2e_writer ended with ${this.child.exitCode}`);
    let free = this.child.stdin.write(
      JSON.stringify(
        blobs.length ? { ...command, bytes: blobs.map((b) => b.byteLength) } : command,
      ) + "\n",
    );
    for (const b of blobs) free = this.child.stdin.write(b);
    if (!free) await Promise.race([once(this.child.stdin, "drain"), this.ended]);
  }
  async sync() {
    await this.send({ op: "sync" });
    if ((await this.lines.next()).done) throw new Error("e2e_writer gave up");
  }
  async close() {
    this.child.stdin.end();
    await this.ended;
  }
  kill() {
    this.child.kill("SIGKILL");
  }
}

const bytesOf = (values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
const idOf = (run) => run.id.replace(/[^A-Za-z0-9]/g, "");
const gridOf = (run, s, from = 0) => ({
  first: s.first + from * s.stride,
  stride: s.stride,
  start_ms: s.start,
  step_ms: s.perStep,
  epoch_steps: 100,
  samples: 64,
});

/** The value of an entry as a command: references to blobs become the blobs themselves. */
function valueOf(entry) {
  const value = entry.value ?? entry.make();
  if (value.kind === "image") return [value, value.images.map((i) => blob(i.sha))];
  if (value.kind === "embedding") return [value, [blob(value.vectors.sha)]];
  if (value.kind === "figure") return [value, value.picture ? [blob(value.picture.sha)] : []];
  return [value, value.data ? [blob(value.data.sha)] : []];
}

async function writeRun(writer, run, handle) {
  const head = {
    op: "open",
    run: handle,
    id: idOf(run),
    start_ms: run.start_ms,
    world_size: run.world_size,
    live: run.state === "running",
  };
  const fields = Object.fromEntries(
    [
      "name",
      "project",
      "group",
      "job_type",
      "notes",
      "color",
      "tags",
      "config",
      "summary",
      "environment",
    ].map((f) => [f, run[f]]),
  );
  const older = [...run.series].flatMap(([key, s]) =>
    (s.attempts ?? []).filter((a) => !a.current).map((a) => [key, a.series]),
  );
  if (older.length) {
    await writer.send({ ...head, ...fields, live: false });
    for (const [key, s] of older)
      await writer.send({ op: "scalars", run: handle, key, ...gridOf(run, s) }, [bytesOf(s.value)]);
    await writer.send({ op: "finish", run: handle, state: "crashed" });
  }
  await writer.send({
    ...head,
    ...fields,
    attempt: older.length ? 1 : 0,
    ...(older.length ? { resume_step: 0 } : {}),
  });
  for (const [key, s] of run.series)
    await writer.send({ op: "scalars", run: handle, key, ...gridOf(run, s) }, [bytesOf(s.value)]);
  for (const [key, { list }] of run.entries)
    for (const entry of list) {
      const [value, blobs] = valueOf(entry);
      await writer.send(
        { op: "value", run: handle, key, step: entry.step, time_ms: entry.time_ms, value },
        blobs,
      );
    }
  for (const a of run.alerts)
    await writer.send({
      op: "value",
      run: handle,
      key: "alert",
      step: a.step,
      time_ms: a.time_ms,
      value: { kind: "alert", ...a },
    });
  for (const a of [...run.artifacts].reverse())
    await writer.send(
      {
        op: "value",
        run: handle,
        key: a.name,
        step: a.step,
        time_ms: a.time_ms,
        value: { kind: "artifact", ...a, paths: a.files.map((f) => f.path), files: undefined },
      },
      a.files.map((f) => blob(f.sha)),
    );
  const mine = run.console.filter((l) => l.rank === 0);
  if (mine.length) await writer.send({ op: "console", run: handle, lines: mine });
  const finish = async (at, message = "") =>
    run.state !== "running" &&
    (await writer.send({ op: "finish", run: at, state: run.state, message }));
  for (let rank = 1; rank < run.world_size; rank++) {
    const other = handle * 1000 + rank;
    await writer.send({ ...head, run: other, rank, attempt: older.length ? 1 : 0 });
    await writer.send({
      op: "console",
      run: other,
      lines: run.console.filter((l) => l.rank === rank),
    });
    await finish(other);
  }
  await finish(handle, run.message);
}

/** Series as raw float64 files and everything else as JSON, for Python. */
function writeTruth(folder, runs) {
  mkdirSync(folder, { recursive: true });
  let n = 0;
  const list = runs.map((run) => ({
    id: idOf(run),
    name: run.name,
    project: run.project,
    group: run.group,
    tags: run.tags,
    state: run.state,
    start_ms: run.start_ms,
    end_ms: run.end_ms,
    world_size: run.world_size,
    config: Object.fromEntries(run.config),
    environment: Object.fromEntries(run.environment),
    console: run.console.map((l) => l.text),
    series: Object.fromEntries(
      [...run.series].map(([key, s]) => {
        const file = `${n++}.f64`;
        writeFileSync(join(folder, file), bytesOf(s.value));
        return [
          key,
          { file, first: s.first, stride: s.stride, start_ms: s.start, step_ms: s.perStep },
        ];
      }),
    ),
    entries: Object.fromEntries(
      [...run.entries]
        .filter(([, e]) => ["histogram", "pr_curve", "graph", "table", "text"].includes(e.kind))
        .map(([key, e]) => [
          key,
          e.list.map((x) => ({ step: x.step, value: x.value ?? x.make() })),
        ]),
    ),
  }));
  writeFileSync(join(folder, "runs.json"), JSON.stringify(list));
}

/**
 * Runs of a test's own, told to e2e_writer line by line: what a seeded generator would never make.
 */
class OddRun {
  constructor(writer, handle, head) {
    this.writer = writer;
    this.handle = handle;
    this.start = head.start_ms;
  }
  /** Values at steps 0, 1, … unless `steps` says otherwise. */
  scalars(key, values, { first = 0, stride = 1, steps } = {}) {
    const blobs = [bytesOf(Float64Array.from(values))];
    if (steps) blobs.push(bytesOf(BigInt64Array.from(steps, BigInt)));
    return this.writer.send(
      { op: "scalars", run: this.handle, key, first, stride, start_ms: this.start, step_ms: 1 },
      blobs,
    );
  }
  value(key, value, blobs = [], step = 0) {
    return this.writer.send(
      { op: "value", run: this.handle, key, step, time_ms: this.start + step, value },
      blobs,
    );
  }
  /** What define_metric says: {step, summary, goal, hidden}. */
  define(pattern, options) {
    return this.writer.send({ op: "define", run: this.handle, pattern, ...options });
  }
  console(lines) {
    return this.writer.send({ op: "console", run: this.handle, lines });
  }
  /** "line 0" to "line count - 1". */
  lines(count) {
    return this.writer.send({ op: "console", run: this.handle, count });
  }
  finish(state = "finished") {
    return this.writer.send({ op: "finish", run: this.handle, state });
  }
}

async function writeOdd(program, folder, write) {
  const writer = new Writer(program, folder);
  let handles = 0;
  const open = async (name, more = {}) => {
    const head = {
      id: name
        .replace(/[^A-Za-z0-9]/g, "")
        .slice(0, 40)
        .padEnd(4, "0"),
      name,
      project: "odd",
      start_ms: Date.UTC(2026, 0, 1),
      ...more,
    };
    const handle = ++handles;
    await writer.send({ op: "open", run: handle, ...head });
    return new OddRun(writer, handle, head);
  };
  await write(open);
  await writer.sync();
  return {
    runs: [],
    open,
    sync: () => writer.sync(),
    close: () => writer.close(),
    kill: () => writer.kill(),
  };
}

export async function writeScenario(name, folder, { writer: program, truth, ...options }) {
  if (name === "empty") return undefined;
  if (name === "odd") return writeOdd(program, folder, options.write);
  if (name === "tensorboard")
    return void makeRuns(["thousand"], { runs: 4, points: 200 }).forEach((run) =>
      writeEventFile(folder, run),
    );
  const runs = makeRuns([name], options);
  if (options.running) for (const run of runs) run.state = "running";
  const writer = new Writer(program, folder);
  for (const [i, run] of runs.entries()) await writeRun(writer, run, i + 1);
  await writer.sync();
  if (truth) writeTruth(truth, runs);
  const live = runs.map((run, i) => [run, i + 1]).filter(([run]) => run.state === "running");
  let seed = 1;
  return {
    runs,
    /** Adds points to every series that is logged at each step, of every running run. */
    async grow(points) {
      for (const [run, handle] of live)
        for (const [key, s] of run.series) {
          if (s.stride !== 1 || s.value.length < 2) continue;
          const [from, last] = [s.value.length, s.value[s.value.length - 1]];
          const values = Float64Array.from(
            { length: points },
            () =>
              last *
              (1 +
                0.02 * ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296 - 0.5)),
          );
          s.append(values);
          await writer.send({ op: "scalars", run: handle, key, ...gridOf(run, s, from) }, [
            bytesOf(values),
          ]);
        }
      await writer.sync();
    },
    /** A run that was not there before. */
    async begin(run) {
      runs.push(run);
      await writeRun(writer, run, runs.length);
      await writer.sync();
    },
    close: () => writer.close(),
    kill: () => writer.kill(),
  };
}
