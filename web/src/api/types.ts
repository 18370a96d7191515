// Types of the HTTP API, written by tools/generate_types.mjs from docs/api/schema.json. Do not edit by hand.

/** A double. JSON has no NaN and no infinities: they travel as these three strings. */
export type Float = number | "NaN" | "Infinity" | "-Infinity";

/** A hyperparameter, summary value or table cell. Whole numbers beyond 2^53 travel as strings. */
export type Cell = null | boolean | number | string;

/** What a key holds. */
export type Kind = "scalar" | "histogram" | "image" | "audio" | "video" | "mesh" | "text" | "table" | "figure" | "graph" | "pr_curve" | "embedding" | "hparams" | "artifact" | "alert" | "note" | "tag" | "tensor" | "metric_definition" | "summary";

/** How a run stands, or how it ended. */
export type RunState = "running" | "finished" | "failed" | "crashed" | "aborted" | "idle";

/** Every answer with status 4xx or 5xx. */
export interface Error {
  error: ErrorBody;
}

/** Plain words first; the rest is for machines. */
export interface ErrorBody {
  code: "invalid" | "not_found" | "forbidden" | "read_only" | "too_large" | "unavailable" | "internal";
  /** what failed, on what, why, what to do */
  message: string;
  /** position in the text that could not be parsed */
  offset?: number;
  request_id: string;
}

/** One opened folder. */
export interface Root {
  name: string;
  location: string;
  /** taffrail, tensorboard, ... */
  source: string;
  read_only: boolean;
}

/** What the page needs before anything else. */
export interface Server {
  version: string;
  /** 1 */
  api: number;
  /** changes with the embedded dashboard: an open tab reloads */
  assets: string;
  /** changes with each start of the server */
  instance: string;
  /** files were opened directly */
  profiles?: boolean;
  read_only: boolean;
  /** server clock */
  time_ms: number;
  roots: Root[];
}

/** Runs that belong together. */
export interface Project {
  name: string;
  runs: number;
  running: number;
  failed: number;
  first_ms: number;
  /** newest sign of life of any run */
  last_ms: number;
  roots: string[];
  /** names of the newest runs, at most five */
  recent: string[];
}

/** All projects, newest activity first. */
export interface Projects {
  revision: number;
  projects: Project[];
  /** runs that are there and cannot be opened, and roots that are gone */
  unreadable: UnreadableRun[];
}

/** A run folder that cannot be opened, or a root that is gone. */
export interface UnreadableRun {
  location: string;
  reason: string;
}

/** Which runs, in which order, with which columns. */
export interface RunsQuery {
  /** absent = all projects */
  project?: string;
  /** run filter language; empty = all */
  filter?: string;
  sort?: SortKey[];
  /** column ids whose values are wanted */
  columns?: string[];
  /** only these ids */
  runs?: string[];
  offset?: number;
  /** absent = all */
  limit?: number;
  /** default exclude */
  archived?: "exclude" | "include" | "only";
  /** default exclude */
  deleted?: "exclude" | "include" | "only";
  /** also list every column that exists; default true */
  directory?: boolean;
}

/** Absent values sort last either way. */
export interface SortKey {
  /** column id, or a field of RunColumns: name, state, start_ms, end_ms, duration_ms */
  column: string;
  descending?: boolean;
}

/** Columnar: element i of every array belongs to run i. */
export interface RunColumns {
  /** opaque, unique over all roots */
  id: string[];
  name: string[];
  project: string[];
  group: string[];
  job_type: string[];
  state: RunState[];
  start_ms: number[];
  /** last sign of life while running */
  end_ms: number[];
  attempts: number[];
  world_size: number[];
  tags: string[][];
  notes: string[];
  /** #rrggbb chosen by a person, else empty */
  color: string[];
  /** place in the order of creation of the whole project, archived and deleted runs counted: what colours go by */
  slot: number[];
  archived: boolean[];
  deleted: boolean[];
  source: string[];
  root: string[];
  /** what is wrong with the run; empty when all is well */
  message: string[];
}

/** A column a table can show. Ids: config:KEY, summary:KEY, environment:KEY, metric:KEY (last value), metric.min:KEY, metric.max:KEY, metric.mean:KEY, metric.first:KEY, metric.count:KEY. The directory lists metric:KEY only; the other forms are always understood. */
export interface Column {
  id: string;
  type: "number" | "string" | "boolean" | "mixed";
  /** runs that have it */
  present: number;
  /** different values, counted up to 100 */
  distinct: number;
  /** of numbers */
  min?: Float;
  max?: Float;
}

/** Reply to runs:query. */
export interface Runs {
  revision: number;
  /** runs before the filter */
  total: number;
  /** runs after it */
  matched: number;
  offset: number;
  runs: RunColumns;
  /** column id -> one cell per run, null where absent */
  values: Record<string, Cell[]>;
  /** differing columns first, then by name */
  columns?: Column[];
}

/** A key over the runs asked for. */
export interface KeyInfo {
  key: string;
  kind: Kind;
  /** runs that have it */
  runs: number;
  /** points or entries in all of them */
  points: number;
  first_step: number;
  last_step: number;
  /** scalars only, over all runs */
  min?: Float;
  max?: Float;
  /** the number that stands for it, where define_metric named one */
  summary?: "last" | "min" | "max" | "mean" | "none";
  goal?: "minimize" | "maximize";
  /** key that define_metric named as the x axis */
  step_metric?: string;
  hidden?: boolean;
}

/** All keys, sorted by name. */
export interface Keys {
  revision: number;
  /** runs looked at */
  runs: number;
  keys: KeyInfo[];
}

/** A scalar key of one run without its points. */
export interface SeriesInfo {
  key: string;
  count: number;
  nan_count: number;
  positive_infinity_count: number;
  negative_infinity_count: number;
  min: Float;
  max: Float;
  mean: Float;
  last: Float;
  first_step: number;
  last_step: number;
  first_ms: number;
  last_ms: number;
}

/** One life of a resumed run. */
export interface Attempt {
  attempt: number;
  start_ms: number;
  first_step: number;
  last_step: number;
}

/** A named value; order is that of the recording program. */
export interface NamedCell {
  name: string;
  value: Cell;
}

/** Something the run itself reported. */
export interface Alert {
  level: "info" | "warning" | "error";
  title: string;
  text: string;
  step: number;
  time_ms: number;
}

/** A damaged or missing range, stated exactly. */
export interface Damage {
  file: string;
  offset: number;
  length: number;
  reason: string;
}

/** One run. */
export interface RunDetail {
  revision: number;
  id: string;
  name: string;
  project: string;
  group: string;
  job_type: string;
  state: RunState;
  start_ms: number;
  end_ms: number;
  /** null where the clock was set back while the run went on */
  duration_ms: number | null;
  attempts: Attempt[];
  world_size: number;
  tags: string[];
  notes: string;
  color: string;
  archived: boolean;
  deleted: boolean;
  source: string;
  root: string;
  location: string;
  message: string;
  config: NamedCell[];
  summary: NamedCell[];
  /** every scalar key */
  series: SeriesInfo[];
  /** kind -> number of keys */
  kinds: Record<string, number>;
  console_lines: number;
  alerts: Alert[];
  damage: Damage[];
}

/** Snapshot taken when the run began; names are paths such as git/commit, host/name, packages/numpy. git/diff holds the patch. */
export interface Environment {
  cells: NamedCell[];
}

/** A line of captured output; ANSI sequences are kept. */
export interface ConsoleLine {
  /** counted from 0, among all lines */
  line: number;
  time_ms: number;
  /** standard error */
  error: boolean;
  rank: number;
  text: string;
}

/** A window of the captured output. */
export interface Console {
  total: number;
  first: number;
  lines: ConsoleLine[];
  /** with search: line numbers that match, at most 10,000 after `skip` */
  matches?: number[];
  /** with search: how many match in all */
  matched?: number;
}

/** A file that can be downloaded through blob. */
export interface FileInfo {
  path: string;
  size: number;
  sha: string;
}

/** One version of an artifact. */
export interface ArtifactInfo {
  name: string;
  type: string;
  version: string;
  step: number;
  time_ms: number;
  files: FileInfo[];
  metadata: NamedCell[];
}

/** Artifacts of a run, newest first. */
export interface Files {
  artifacts: ArtifactInfo[];
}

/** Where entries of non-scalar keys stand. */
export interface IndexQuery {
  runs: string[];
  /** absent = every key of the kinds */
  keys?: string[];
  kinds?: Kind[];
}

/** Columnar; element i is entry number i of that key, in log order. */
export interface EntryIndex {
  run: string;
  key: string;
  kind: Kind;
  step: number[];
  time_ms: number[];
  epoch?: (number | null)[];
  /** absent = all 0 */
  attempt?: number[];
  /** absent = all 0 */
  rank?: number[];
  /** of each entry, where a key holds several; absent = all of that kind */
  kinds?: Kind[];
  /** images of a batch; absent = all 1 */
  items?: number[];
}

/** Reply to entries:index. */
export interface Index {
  revision: number;
  series: EntryIndex[];
}

/** One logged value that is not a scalar. */
export interface Entry {
  index: number;
  step: number;
  time_ms: number;
  epoch?: number;
  samples?: number;
  attempt: number;
  rank: number;
  phase: "" | "train" | "validate" | "test" | "predict" | "sanity";
  value: EntryValue;
}

/** A window of the entries of one key. */
export interface Entries {
  revision: number;
  run: string;
  key: string;
  kind: Kind;
  total: number;
  first: number;
  entries: Entry[];
}

/** Bytes to be fetched through blob. */
export interface BlobRef {
  /** SHA-256 in hex */
  sha: string;
  size: number;
}

/** The decoded value; `kind` tells which. */
export type EntryValue = HistogramValue | ImageValue | AudioValue | VideoValue | MeshValue | TextValue | TableValue | FigureValue | GraphValue | PrCurveValue | EmbeddingValue | TensorValue | OtherValue;

/** Own bins of one entry, as logged. */
export interface HistogramValue {
  kind: "histogram";
  edges: Float[];
  counts: number[];
  nan: number;
  positive_infinity: number;
  negative_infinity: number;
  min: Float;
  max: Float;
  sum: Float;
  sum_squares: Float;
}

/** One or several images. Show them through image. */
export interface ImageValue {
  kind: "image";
  format: string;
  dtype: string;
  width: number;
  height: number;
  channels: number;
  images: BlobRef[];
  captions: string[];
}

/** A sound file. */
export interface AudioValue {
  kind: "audio";
  format: string;
  sample_rate: number;
  channels: number;
  frames: number;
  data: BlobRef;
  caption: string;
}

/** mp4, webm, gif, or frames (raw u8 T x H x W x C). */
export interface VideoValue {
  kind: "video";
  format: string;
  width: number;
  height: number;
  frames: number;
  channels: number;
  frames_per_second: number;
  data: BlobRef;
  caption: string;
}

/** arrays (f32 vertices, u32 faces, u8 colours, f32 normals, concatenated), obj, ply, stl or glb. */
export interface MeshValue {
  kind: "mesh";
  format: string;
  vertices: number;
  faces: number;
  has_colors: boolean;
  has_normals: boolean;
  config: string;
  data: BlobRef;
}

/** Markdown unless plain. */
export interface TextValue {
  kind: "text";
  text: string;
  plain: boolean;
}

/** Columns and rows. */
export interface TableValue {
  kind: "table";
  columns: string[];
  rows: Cell[][];
}

/** A Plotly figure, a picture, or both. */
export interface FigureValue {
  kind: "figure";
  /** JSON text */
  plotly?: string;
  picture?: BlobRef;
  picture_format?: string;
}

/** Names group by /. */
export interface GraphNode {
  name: string;
  op: string;
  inputs: string[];
  shape: number[];
  parameters: number;
  device: string;
  attributes: NamedCell[];
}

/** A computation graph. */
export interface GraphValue {
  kind: "graph";
  nodes: GraphNode[];
}

/** Counts per threshold, thresholds rising. */
export interface PrCurveValue {
  kind: "pr_curve";
  thresholds: number[];
  true_positives: number[];
  false_positives: number[];
  true_negatives: number[];
  false_negatives: number[];
  precision: Float[];
  recall: Float[];
}

/** vectors is f32, count x dimensions, little-endian. */
export interface EmbeddingValue {
  kind: "embedding";
  count: number;
  dimensions: number;
  vectors: BlobRef;
  metadata: TableData;
  sprite?: BlobRef;
  thumbnail_width: number;
  thumbnail_height: number;
}

/** Columns and rows without a kind. */
export interface TableData {
  columns: string[];
  rows: Cell[][];
}

/** Any other tensor, bit for bit. */
export interface TensorValue {
  kind: "tensor";
  dtype: string;
  shape: number[];
  data: BlobRef;
}

/** hparams, artifact, alert, note, tag: shown as text. */
export interface OtherValue {
  kind: "hparams" | "artifact" | "alert" | "note" | "tag" | "metric_definition" | "summary";
  text: string;
}

/** The x axis of a question. Units: steps, seconds since the run began (relative), seconds since 1970 (wall), epochs, samples, values of the metric. */
export interface AxisQuery {
  axis: "step" | "relative" | "wall" | "epoch" | "samples" | "metric";
  /** key, with axis metric */
  metric?: string;
  /** default linear */
  scale?: "linear" | "log" | "symlog";
  /** absent = where the data begins */
  from?: number;
  /** absent = where it ends; both ends are included */
  to?: number;
}

/** Runs on the raw points, before binning. */
export interface Smoothing {
  method: "none" | "ema" | "time_ema" | "gaussian" | "mean" | "median";
  /** ema, time_ema: weight 0...0.999; the others: window in points */
  amount: number;
}

/** Several runs become one series with a band. */
export interface Grouping {
  /** column ids, or name, group, job_type, tags, state; empty = all runs in one group */
  by: string[];
  /** instead of by: the group of each run of the question, in its order; how a page groups by a pattern */
  labels?: string[];
  center: "mean" | "median" | "min" | "max";
  band: "none" | "std" | "sem" | "ci95" | "minmax";
}

/** One chart: one frame comes back. */
export interface ChartQuery {
  /** echoed in the frame */
  id: string;
  runs: string[];
  /** every pair of run and key that exists is a series */
  keys: string[];
  /** over metrics, replaces keys: ${train/loss} - ${val/loss} */
  expression?: string;
  x: AxisQuery;
  /** bins wanted over the range, 1...8192 */
  width: number;
  /** target bin size in axis units (decades on a log axis); wins over width, used to fetch a tail on an existing grid */
  bin?: number;
  /** series with at most this many points in range come raw; default width */
  raw_limit?: number;
  smoothing?: Smoothing;
  group?: Grouping;
  /** default winning; all = older attempts as extra series */
  attempts?: "winning" | "all";
  /** absent = all ranks */
  rank?: number;
  /** a key that several ranks logged: one line through all points (default), a line each, or their mean with the standard deviation as low and high */
  ranks?: "together" | "apart" | "mean";
  /** default: all but spread; smooth only with smoothing; spread = min and max unless every series is raw */
  fields?: ("min" | "max" | "mean" | "last" | "count" | "smooth" | "spread")[];
  /** series at the same x send it once, see SeriesDirectory.x; default false */
  share_x?: boolean;
  /** quantisation space of q16 */
  y_scale?: "linear" | "log" | "symlog";
  /** auto: f32 up to 50 series, q16 above */
  precision?: "auto" | "f32" | "q16";
}

/** Body of series:query. */
export interface SeriesQuery {
  /** at most 64 */
  charts: ChartQuery[];
}

/** Where an array of the frame body stands. */
export interface FieldDirectory {
  name: "x" | "min" | "max" | "mean" | "last" | "count" | "smooth" | "low" | "high" | "runs" | "mark_bin" | "mark_kind" | "mark_count";
  type: "f64" | "f32" | "u32" | "u16" | "u8" | "q16";
  /** bytes from the start of the body, a multiple of 8 */
  offset: number;
  /** elements */
  length: number;
  /** q16: value = bias + scale * q in y_scale space; f32 x: value = bias + x */
  bias?: number;
  scale?: number;
}

/** Columnar; element i belongs to series i. */
export interface SeriesDirectory {
  /** number in FrameHeader.runs, -1 for a group */
  run: number[];
  /** number in FrameHeader.keys */
  key: number[];
  /** number in FrameHeader.groups */
  group?: number[];
  /** only with ranks: the rank whose points these are, -1 where they are not told apart */
  rank?: number[];
  /** only with ranks: how many the mean is of, else 1 */
  ranks?: number[];
  attempt: number[];
  /** false: an older attempt, drawn faint */
  current: boolean[];
  /** true: every point has a bin of its own */
  raw: boolean[];
  /** bins of series i; they stand one series after the other */
  bins: number[];
  /** only with share_x: first element of series i in the field x */
  x?: number[];
  /** points in range before binning */
  points: number[];
  /** newest point of the whole series, in range or not */
  last_x: (number | null)[];
  /** its value */
  last: Float[];
  /** points of the whole series */
  total: number[];
}

/** A group of runs. */
export interface GroupInfo {
  label: string;
  /** one per Grouping.by */
  values: Cell[];
  runs: string[];
}

/** JSON header of one frame; see frame.md. */
export interface FrameHeader {
  chart: string;
  revision: number;
  /** then there is no series */
  error?: ErrorBody;
  /** with the range that was used */
  x: AxisQuery;
  y_scale: string;
  runs: string[];
  /** an expression is its own key */
  keys: string[];
  groups?: GroupInfo[];
  series: SeriesDirectory;
  fields: FieldDirectory[];
  /** pairs of run and key asked for that do not exist */
  missing: number;
  /** points left out because a log axis cannot show them */
  outside: number;
  query_ms: number;
}

/** A run and a key (or an expression). */
export interface SeriesRef {
  run: string;
  key: string;
  /** absent = all ranks */
  rank?: number;
}

/** Exact points next to a position, for tooltips and pins. */
export interface PointsQuery {
  /** at most 1,000 */
  series: SeriesRef[];
  /** its range is ignored */
  x: AxisQuery;
  at: number;
  smoothing?: Smoothing;
}

/** The nearest point of the winning attempts; null where the series is empty. Of series longer than 100,000 points, rank is absent where several ranks share the run. */
export interface ExactPoint {
  step?: number;
  /** the step in digits, beyond 2^53, where not every reader's numbers hold it */
  step_text?: string;
  time_ms?: number;
  x: number;
  value: Float;
  smooth?: Float;
  epoch?: number;
  samples?: number;
  attempt?: number;
  rank?: number;
}

/** Reply to series:points; element i answers series i. */
export interface Points {
  points: (ExactPoint | null)[];
}

/** Numbers of a range, from raw points. */
export interface StatsQuery {
  series: SeriesRef[];
  x: AxisQuery;
}

/** Finite points between from and to, both included. */
export interface RangeStats {
  count: number;
  nan: number;
  min: Float;
  max: Float;
  mean: Float;
  /** sample standard deviation */
  std: Float;
  first: Float;
  last: Float;
  /** least squares, per unit of x */
  slope: Float;
  /** members that come from bins and samples: those of series too long to be read for this; absent = all are exact */
  estimated?: ("std" | "slope")[];
}

/** Reply to series:stats; element i answers series i, null where it has no point in range. */
export interface Stats {
  stats: (RangeStats | null)[];
}

/** Histograms over steps, on a common grid per key. */
export interface HistogramsQuery {
  runs: string[];
  keys: string[];
  /** step */
  from?: number;
  to?: number;
  /** most columns wanted, default 200; entries beyond it are summed, never dropped */
  width?: number;
  /** value bins of the grid, default 48 */
  bins?: number;
  y_scale?: "linear" | "symlog";
}

/** One entry, or the sum of neighbouring ones. */
export interface HistogramColumn {
  first_step: number;
  last_step: number;
  entries: number;
  counts: number[];
  nan: number;
  positive_infinity: number;
  negative_infinity: number;
  min: Float;
  max: Float;
  mean: Float;
  std: Float;
  /** 0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100 percent: the normal deviations from -1.5 to 1.5 */
  percentiles: Float[];
}

/** One run and key. */
export interface HistogramSeries {
  run: string;
  key: string;
  total: number;
  /** common grid of the key */
  edges: number[];
  columns: HistogramColumn[];
}

/** Reply to histograms:query. */
export interface Histograms {
  revision: number;
  series: HistogramSeries[];
}

/** What to export; raw points, never bins. */
export interface ExportQuery {
  format: "csv" | "jsonl" | "parquet";
  /** csv: one row per point, or per step, rank and attempt */
  shape?: "tidy" | "wide";
  runs: string[];
  /** absent = every scalar key */
  keys?: string[];
  /** only points in its range */
  x?: AxisQuery;
  /** default winning: points that a later attempt superseded are left out */
  attempts?: "winning" | "all";
  /** with what=runs: column ids */
  columns?: string[];
  /** default series; runs = the table of runs as csv */
  what?: "series" | "runs";
}

/** A link good for one hour. */
export interface ExportTicket {
  /** relative to the page, for a plain download */
  href: string;
  name: string;
  /** runs that are damaged, with the first damage of each: their rows are those that can be read; absent = none is known */
  partial?: { run: string; file: string; reason: string }[];
}

/** Changes to some runs; members that are absent change nothing. */
export interface Edit {
  runs: string[];
  add_tags?: string[];
  remove_tags?: string[];
  name?: string;
  notes?: string;
  /** #rrggbb, empty = none */
  color?: string;
  archived?: boolean;
  /** true moves to the trash; bytes stay until gc */
  deleted?: boolean;
}

/** Applied in order, all or none. */
export interface Edits {
  edits: Edit[];
}

/** Post `inverse` to undo. */
export interface EditsReply {
  revision: number;
  changed: string[];
  inverse: Edit[];
}

/** A saved view of a project. */
export interface View {
  name: string;
  project: string;
  /** the URL state as the page wrote it */
  state: string;
  saved_ms: number;
}

/** Saved views, by name. */
export interface Views {
  views: View[];
}

/** Same project and name overwrite. */
export interface ViewSave {
  name: string;
  project: string;
  state: string;
}

/** Which view to forget. */
export interface ViewDelete {
  name: string;
  project: string;
}

/** What a person prefers; kept by the server so that every browser agrees. Unknown members are kept. */
export interface Settings {
  theme?: "system" | "light" | "dark";
  density?: "compact" | "normal" | "comfortable";
  smoothing?: Smoothing;
  motion?: boolean;
  /** project -> pinned keys */
  pins?: Record<string, string[]>;
  /** project -> run id */
  baseline?: Record<string, string>;
}

/** A view state too long for an address. */
export interface StateSave {
  /** at most 256 kB */
  state: string;
}

/** Content-addressed: the same state has the same hash. */
export interface StateTicket {
  hash: string;
}

/** A stored view state. */
export interface State {
  state: string;
}

/** event: hello; first on every stream. */
export interface Hello {
  instance: string;
  assets: string;
  revision: number;
}

/** event: runs; runs appeared, changed state, were edited or vanished. */
export interface RunsChanged {
  revision: number;
  /** at most 1,000, then empty and all = true */
  runs: string[];
  all?: boolean;
}

/** event: series; only names and lengths, never data. */
export interface SeriesGrew {
  revision: number;
  grew: SeriesGrowth[];
}

/** One run. */
export interface SeriesGrowth {
  run: string;
  keys: string[];
  /** total points or entries of keys[i] */
  counts: number[];
  last_step: number[];
}

/** event: console. */
export interface ConsoleGrew {
  run: string;
  total: number;
}

/** Data of an event. */
export type EventData = Hello | RunsChanged | SeriesGrew | ConsoleGrew;

/** The same event as on the stream. */
export interface ChangeEvent {
  id: number;
  event: "hello" | "runs" | "series" | "console";
  data: EventData;
}

/** For clients behind a proxy that holds streams back. */
export interface Changes {
  /** pass as since next time */
  next: number;
  /** true: since is too old, reload everything */
  reset: boolean;
  events: ChangeEvent[];
}

/** One panel of the charts page, a report or a link; see panel.md. */
export interface Panel {
  id: string;
  kind: "line" | "bar" | "scatter" | "histogram" | "image" | "text";
  title?: string;
  query: PanelQuery;
  options?: PanelOptions;
}

/** What to show. Absent runs = the runs the page has selected. */
export interface PanelQuery {
  keys: string[];
  expression?: string;
  runs?: string[];
  /** run filter language: the panel has its own rule */
  filter?: string;
  group?: Grouping;
  smoothing?: Smoothing;
  x?: AxisQuery;
  attempts?: "winning" | "all";
}

/** How to show it; absent = as the page says. */
export interface PanelOptions {
  y_scale?: "linear" | "log" | "symlog";
  y_from?: number;
  y_to?: number;
  outliers?: "show" | "ignore";
  /** min-max band behind a single line */
  band?: boolean;
  points?: "auto" | "always" | "never";
  legend?: "auto" | "show" | "hide";
  /** grid columns */
  width?: number;
  /** pixels */
  height?: number;
  mark?: "line" | "step" | "area";
  /** image, histogram: which */
  step?: number;
}

/** A profile that can be opened. */
export interface ListedProfile {
  /** empty for files that were opened directly */
  run: string;
  name: string;
  /** by its name; the content decides */
  format: string;
  bytes: number;
  modified_ms: number;
}

/** What can be opened, newest first. */
export interface Profiles {
  profiles: ListedProfile[];
}

/** A thread of a timeline; each row is one depth. */
export interface ProfileTrack {
  title: string;
  process: string;
  process_id: number;
  thread_id: number;
  kind: "thread" | "async" | "instants";
  /** its first slice */
  first: number;
  /** spans below the last row */
  too_deep: number;
  /** slices of each row */
  rows: number[];
}

/** A curve beside a timeline. */
export interface ProfileCounter {
  name: string;
  series: string;
  process: string;
  first: number;
  count: number;
}

/** What stacks weigh. */
export interface ProfileValue {
  name: string;
  /** times are nanoseconds */
  unit: string;
}

/** A step that the trace names. */
export interface ProfileStep {
  number: number;
  begin_ns: number;
  duration_ns: number;
}

/** What a profile holds. Times of slices count from its beginning. */
export interface ProfileInfo {
  name: string;
  format: string;
  bytes: number;
  slices: number;
  /** spans on tracks beyond the limit */
  left_out: number;
  /** the timeline is stacks laid end to end */
  is_made_up: boolean;
  /** of the trace's own clock */
  begin_ns: string;
  duration_ns: number;
  arrows: number;
  tracks: ProfileTrack[];
  counters: ProfileCounter[];
  values: ProfileValue[];
  main_value: number;
  flame_nodes: number;
  flame_folded: number;
  steps: ProfileStep[];
  /** what was wrong with the file */
  notes: string[];
}

/** A profile, and how far its index is. */
export interface ProfileState {
  state: "working" | "ready" | "failed";
  phase: "waiting" | "reading" | "ordering" | "writing" | "analysing" | "done";
  done_bytes: number;
  all_bytes: number;
  message: string;
  info: ProfileInfo | null;
}

/** A frame above the one looked at. */
export interface FlamePath {
  node: number;
  title: string;
  total: number;
}

/** The part of the tree of stacks that can be seen; columns over nodes, outer before inner. */
export interface Flame {
  value: number;
  /** nodes too narrow or too deep */
  left_out: number;
  /** in frames that match the search */
  matched: number;
  path: FlamePath[];
  node: number[];
  depth: number[];
  /** sum of everything left of it */
  begin: number[];
  total: number[];
  self: number[];
  /** place in titles */
  title: number[];
  titles: string[];
}

/** Head of the frame of profile:slices; columns over rows. */
export interface SlicesHeader {
  from_ns: number;
  to_ns: number;
  count: number;
  is_cut: boolean;
  track: number[];
  row: number[];
  /** first slice of the row in the body */
  first: number[];
  name_ids: number[];
  names: string[];
}

/** From one slice to another. */
export interface ProfileArrow {
  name: string;
  from: number;
  from_track: number;
  from_row: number;
  from_ns: number;
  to: number;
  to_track: number;
  to_row: number;
  to_ns: number;
}

/** Arrows that cross a range. */
export interface ProfileArrows {
  arrows: ProfileArrow[];
}

/** All slices of one name. */
export interface SameSlices {
  count: number;
  total_ns: number;
  longest_ns: number;
}

/** Everything about one slice. */
export interface Slice {
  id: number;
  track: number;
  row: number;
  name: string;
  category: string;
  begin_ns: number;
  duration_ns: number;
  /** without what lies in it */
  self_ns: number;
  /** as the trace has them, JSON */
  args: string;
  same: SameSlices;
  arrows: ProfileArrow[];
}

/** Where a slice stands. */
export interface SlicePlace {
  id: number;
  track: number;
  row: number;
  begin_ns: number;
  duration_ns: number;
}

/** A name that matches. */
export interface FoundName {
  id: number;
  /** at most 1,000 bytes of it */
  name: string;
  /** only where the name is longer: a mark of the whole name, which profile:name tells */
  cut?: string;
  count: number;
  total_ns: number;
}

/** Slices whose name contains some words. */
export interface SliceSearch {
  count: number;
  total_ns: number;
  next: SlicePlace | null;
  previous: SlicePlace | null;
  names: FoundName[];
}

/** How busy a thread is. */
export interface MinimapTrack {
  track: number;
  /** 0 to 255 */
  busy: number[];
}

/** The whole timeline at a glance. */
export interface Minimap {
  width: number;
  tracks: MinimapTrack[];
}

/** Lowest and highest value in each part of a range. */
export interface CounterPart {
  low: Float[];
  high: Float[];
}

/** A function. */
export interface FunctionRow {
  /** of its name */
  id: number;
  /** at most 1,000 bytes of it */
  name: string;
  /** only where the name is longer: a mark of the whole name, which profile:name tells */
  cut?: string;
  file: string;
  line: number;
  calls: number;
  self: number;
  total: number;
}

/** A name, however long. */
export interface WholeName {
  id: number;
  name: string;
}

/** The functions of a profile, the largest first. */
export interface Functions {
  value: string;
  unit: string;
  has_calls: boolean;
  /** what shares are of */
  whole: number;
  count: number;
  rows: FunctionRow[];
}

/** A number that explains an advice. */
export interface AdviceNumber {
  name: string;
  value: number;
  unit: string;
}

/** An event that made a rule hold. */
export interface AdviceEvent {
  what: string;
  where: string;
  begin_ns: number;
  duration_ns: number;
}

/** What is slow, by which rule, and what helps. */
export interface Advice {
  rule: string;
  topic: string;
  title: string;
  text: string;
  cure: string;
  caution: string;
  measured: number;
  threshold: number;
  exceeds: "above" | "below";
  unit: string;
  numbers: AdviceNumber[];
  evidence: AdviceEvent[];
}

/** Nanoseconds of each part, and total_ns, their sum. */
export type Breakdown = Record<string, number>;

/** Communication behind computation. */
export interface Overlap {
  computation_ns: number;
  communication_ns: number;
  both_ns: number;
  neither_ns: number;
  share: number;
}

/** One step. */
export interface AnalysedStep {
  name: string;
  number: number;
  begin_ns: number;
  end_ns: number;
  device_events: number;
  time: Breakdown;
  overlap: Overlap;
}

/** Steps and where their time went. */
export interface AnalysedSteps {
  count: number;
  is_whole_trace: boolean;
  left_out: number;
  has_device: boolean;
  has_runtime: boolean;
  has_communication: boolean;
  mean_ns: number;
  median_ns: number;
  p99_ns: number;
  sum: Breakdown;
  overlap: Overlap;
  mean: Breakdown;
  steps: AnalysedStep[];
}

/** Why no kernel ran. */
export interface DeviceIdle {
  span_ns: number;
  host_ns: number;
  kernel_ns: number;
  other_ns: number;
}

/** Utilisation over time. */
export interface DeviceCurve {
  begin_ns: number;
  step_ns: number;
  end_ns: number;
  utilisation: number[];
}

/** A GPU. */
export interface AnalysedDevice {
  id: number;
  name: string;
  memory_bytes: number;
  compute_major: number;
  compute_minor: number;
  multiprocessors: number;
  kernels: number;
  kernel_ns: number;
  utilisation: number;
  sm_efficiency: number | null;
  occupancy: number | null;
  recorded_occupancy: number | null;
  tensor_core_share: number | null;
  idle: DeviceIdle;
  curve: DeviceCurve;
}

/** A place that called an operator. */
export interface OperatorStack {
  stack: string;
  calls: number;
  host_total_ns: number;
  host_self_ns: number;
  device_total_ns: number;
  device_self_ns: number;
}

/** An operator. */
export interface OperatorRow {
  name: string;
  calls: number;
  /** of its inputs */
  shapes?: (number[] | number | string | null)[];
  host_total_ns: number;
  host_self_ns: number;
  device_total_ns: number;
  device_self_ns: number;
  tensor_core_self_ns: number;
  tensor_core_total_ns: number;
  is_tensor_core_eligible: boolean;
  stacks?: OperatorStack[];
}

/** Operators, the longest first. */
export interface Operators {
  count: number;
  by_name: OperatorRow[];
  by_shape: OperatorRow[];
}

/** A kernel. */
export interface KernelRow {
  name: string;
  calls: number;
  total_ns: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
  blocks_per_sm: number;
  occupancy: number;
  uses_tensor_cores: boolean;
}

/** Launches of a kernel by an operator. */
export interface LaunchRow {
  name: string;
  calls: number;
  total_ns: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
  blocks_per_sm: number;
  occupancy: number;
  uses_tensor_cores: boolean;
  operator: string;
  is_tensor_core_eligible: boolean;
  grid: number[];
  block: number[];
  registers_per_thread: number;
  shared_memory_bytes: number;
}

/** Copies of one kind. */
export interface CopyRow {
  name: string;
  calls: number;
  bytes: number;
  total_ns: number;
  bytes_per_second: number;
}

/** A function of the driver. */
export interface DriverCall {
  name: string;
  calls: number;
  total_ns: number;
  waits: boolean;
}

/** Kernels, the longest first. */
export interface Kernels {
  count: number;
  tensor_core_share: number;
  tensor_core_eligible_share: number;
  by_name: KernelRow[];
  launches: LaunchRow[];
  copies: CopyRow[];
  calls: DriverCall[];
}

/** Columns over time. */
export interface MemoryCurve {
  time_ns: number[];
  allocated_bytes: number[];
  reserved_bytes: number[];
}

/** An allocation. */
export interface MemoryBlock {
  begin_ns: number;
  end_ns: number | null;
  bytes: number;
  operator: string;
}

/** What an operator did to memory. */
export interface MemoryOperator {
  name: string;
  calls: number;
  self_increase_bytes: number;
  self_allocated_bytes: number;
  self_allocations: number;
  increase_bytes: number;
  allocated_bytes: number;
  allocations: number;
}

/** Memory of one device. */
export interface DeviceMemory {
  device: string;
  device_id: number;
  has_totals: boolean;
  peak_allocated_bytes: number;
  peak_reserved_bytes: number;
  peak_time_ns: number;
  allocations: number;
  frees: number;
  curve: MemoryCurve;
  blocks: MemoryBlock[];
  operators: MemoryOperator[];
}

/** A module of the network, in preorder. */
export interface ModuleRow {
  name: string;
  id: number;
  depth: number;
  parent: number;
  calls: number;
  operators: number;
  host_total_ns: number;
  host_self_ns: number;
  device_total_ns: number;
  device_self_ns: number;
}

/** A collective operation. */
export interface CollectiveRow {
  name: string;
  calls: number;
  bytes: number;
  total_ns: number;
  transfer_ns: number;
}

/** What a trace says. Times are those of the trace's own clock. */
export interface Analysis {
  worker: string;
  rank: number;
  world_size: number;
  backend: string;
  begin_ns: number;
  end_ns: number;
  events: number;
  steps: AnalysedSteps;
  devices: AnalysedDevice[];
  advice: Advice[];
  operators: Operators;
  kernels: Kernels;
  memory: DeviceMemory[];
  modules: ModuleRow[];
  collectives: CollectiveRow[];
  notes: string[];
}

/** An analysis when it is there. */
export interface ProfileAnalysis {
  state: "working" | "ready";
  analysis: Analysis | null;
}

/** One step of one worker. */
export interface WorkerStep {
  name: string;
  overlap: Overlap;
  transfer_ns: number;
  wait_ns: number;
}

/** One worker of a training. */
export interface Worker {
  worker: string;
  rank: number;
  devices: string[];
  sum: Breakdown;
  steps: WorkerStep[];
  collectives: CollectiveRow[];
}

/** Workers side by side. */
export interface Workers {
  straggler: string;
  straggler_wait_ns: number;
  why_not: string;
  notes: string[];
  workers: Worker[];
}

/** All traces of a run together, when they are analysed. */
export interface ProfileWorkers {
  state: "working" | "ready";
  workers: Workers | null;
}

/** Before and after, of a mean step. */
export interface ChangedRow {
  name: string;
  before_ns: number;
  after_ns: number;
  before_calls: number;
  after_calls: number;
}

/** A part of the mean step. */
export interface ChangedPart {
  part: string;
  before_ns: number;
  after_ns: number;
}

/** What changed between two traces. */
export interface Difference {
  before_step_ns: number;
  after_step_ns: number;
  parts: ChangedPart[];
  operators: ChangedRow[];
  kernels: ChangedRow[];
  advice_gone: string[];
  advice_new: string[];
}

/** A comparison when both are analysed. */
export interface ProfileDifference {
  state: "working" | "ready";
  difference: Difference | null;
}

