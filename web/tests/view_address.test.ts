// The address of a view: whatever a person arranged comes back, whoever made the address and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newName } from "../src/state/old_names";
import { pages } from "../src/state/pages";
import { decodeView, defaults, encodeView, type View } from "../src/state/view_address";

const packed = (rest: object) => "z=" + Buffer.from(JSON.stringify(rest)).toString("base64url");

/** A view in which no field is as it was at first. */
function arranged(): View {
  const changed = Object.entries(defaults).map(([name, value]): [string, unknown] => {
    if (name === "page") return [name, "table"];
    if (typeof value === "boolean") return [name, !value];
    if (typeof value === "number") return [name, value + 0.25];
    if (typeof value === "string") return [name, `${value}ä&=#/ ${name}`];
    if (Array.isArray(value) || value === null) return [name, ["a", "ü", name]];
    return [name, { ...value, added: { deep: [1, null, "…"] } }];
  });
  return Object.fromEntries(changed) as unknown as View;
}

test("every field of a view comes back from its address", () => {
  const view = arranged();
  const address = encodeView(view);
  assert.match(address, /^#\/table\?/);
  for (const name of Object.keys(defaults) as (keyof View)[])
    assert.notDeepEqual(view[name], defaults[name], name);
  assert.deepEqual(decodeView(address), view);
});

test("a view as it was at first is the name of its page and nothing else", () => {
  assert.equal(encodeView(defaults), "#/projects");
  assert.deepEqual(decodeView("#/projects"), defaults);
  assert.deepEqual(decodeView(""), defaults);
});

test("plain values are readable in the address", () => {
  const address = encodeView({ ...defaults, page: "charts", search: "loss|acc", xAxis: "wall" });
  assert.equal(address, "#/charts?search=loss%7Cacc&xAxis=wall");
});

test("every page of the list opens, and an unknown one is the first", () => {
  for (const { page } of pages) assert.equal(decodeView(`#/${page}`).page, page);
  assert.equal(decodeView("#/nowhere?project=p").page, defaults.page);
  assert.equal(decodeView("#/nowhere?project=p").project, "p");
});

test("keys and titles of pages are not shared", () => {
  const keys = pages.map(({ key }) => key).filter(Boolean);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(pages.map(({ title }) => title)).size, pages.length);
});

test("a mangled address loses the mangled part only", () => {
  const view = decodeView(
    "#/charts?project=p&z=%%%&search=%E0%A4%A&runSearch=fox&smoothingAmount=0.9",
  );
  assert.deepEqual(
    [view.page, view.project, view.search, view.runSearch, view.smoothingAmount],
    ["charts", "p", "", "fox", 0.9],
  );
});

test("names that objects have by themselves are no fields", () => {
  const view = decodeView(
    `#/charts?constructor=x&__proto__=y&${packed({ toString: 1, nonsense: 2 })}`,
  );
  assert.deepEqual(Object.keys(view).sort(), Object.keys(defaults).sort());
  assert.equal(view.toString, Object.prototype.toString);
});

test("members added to a part of the view since take their defaults", () => {
  const view = decodeView(`#/media?${packed({ media: { size: 320 } })}`);
  assert.deepEqual(view.media, { ...defaults.media, size: 320 });
});

test("addresses made with the old short names still open", () => {
  const old =
    "#/charts?project=digits&q=loss%7Cacc&rq=fox&x=metric&xm=epoch&xs=log&ys=symlog&sm=gaussian&sa=21&gc=median&gw=sem" +
    "&cb=config%3Alr&out=1&att=0&rk=mean&za=0&base=r001&arch=1&tg=group&diff=0&" +
    packed({
      gb: ["group"],
      sel: { all: false, except: ["r1"] },
      cmp: ["r1", "r2"],
      pk: ["train/loss"],
      cols: ["state"],
      dist: { mode: "heat" },
      hp: { mode: "scatter", sx: "config:lr", sy: "metric:loss" },
      sys: { mode: "lines" },
      zoom: { "*": { x: [1, 2], y: null } },
    });
  assert.deepEqual(decodeView(old), {
    ...defaults,
    page: "charts",
    project: "digits",
    search: "loss|acc",
    runSearch: "fox",
    xAxis: "metric",
    xMetric: "epoch",
    xScale: "log",
    yScale: "symlog",
    smoothing: "gaussian",
    smoothingAmount: 21,
    groupCenter: "median",
    groupBand: "sem",
    colorBy: "config:lr",
    ignoreOutliers: true,
    olderAttempts: false,
    ranks: "mean",
    zoomTogether: false,
    baseline: "r001",
    showArchived: true,
    onlyDifferences: false,
    groupBy: ["group"],
    selection: { all: false, except: ["r1"] },
    compared: ["r1", "r2"],
    pinnedMetrics: ["train/loss"],
    columns: ["state"],
    distributions: { ...defaults.distributions, mode: "heat" },
    hparams: {
      ...defaults.hparams,
      mode: "scatter",
      scatterX: "config:lr",
      scatterY: "metric:loss",
    },
    system: { ...defaults.system, mode: "lines" },
    zoom: { "*": { x: [1, 2], y: null } },
  });
});

test("the table's own group of once is everybody's group", () => {
  assert.deepEqual(decodeView("#/table?project=p&tableGroup=config%3Alr").groupBy, ["config:lr"]);
});

test("no field of today has a name that once meant another", () => {
  for (const name of Object.keys(defaults)) assert.equal(newName(name), name);
});

test("fields are called by words", () => {
  const words = ["run", "tab"];
  const short = Object.keys(defaults).filter((name) => name.length <= 3 && !words.includes(name));
  assert.deepEqual(short, []);
});
