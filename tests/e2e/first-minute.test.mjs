// A newcomer's first minute in two browsers: the best run by a metric, two runs compared, a group
// by lr with mean ± std, a picture at a step in full size, a link shared. Each in at most three
// actions, each number against Python.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browsers, drive } from "./driver.mjs";
import { serve, truthOf } from "./server.mjs";

let server, truth;
before(async () => {
  server = await serve(["demo"], { options: { runs: 12, points: 800 } });
  truth = truthOf(server.truth);
});
after(() => server?.close());

/** Whether a shown number is this one, to the digits that are shown. */
function agrees(text, value, what) {
  const shown = text.trim();
  assert.match(shown, /^[+-]?\d[\d,.]*(e[+-]?\d+)?$/i, `${what}: ${text}`);
  const [digits, exponent = "0"] = shown.replaceAll(",", "").split(/e/i);
  const places = (digits.split(".")[1] ?? "").length - Number(exponent);
  const error = Math.abs(Number(digits + "e" + exponent) - value);
  assert.ok(error <= 0.5001 * 10 ** -places, `${what}: ${text} for ${value}`);
}
const rail = (page) => `nav[aria-label="Pages"] a[aria-label^="${page}"]`;

for (const browser of browsers)
  describe(`a newcomer with ${browser}`, () => {
    let driver, person;
    before(async () => {
      driver = await drive(browser);
      person = await driver.open(`${server.url}#/charts?project=digits`);
      await person.until(() => document.querySelector('[data-card="auto:loss"] [data-painted]'));
    });
    after(async () => {
      await person?.done();
      await driver?.close();
    });
    const within = (actions) => {
      assert.ok(person.actions <= actions, `${person.actions} actions`);
      person.forget();
    };

    test(`${browser}: the best run by a metric`, async () => {
      await person.click(rail("Table"));
      await person.click('[role="columnheader"]', "val/loss");
      const [value, name] = await truth(
        `json.dump(min((last(r["id"], "val/loss"), r["name"]) for r in runs), sys.stdout)`,
      );
      await person.until(
        (best) => document.querySelector(".grid-row .name .ellipsis")?.textContent === best,
        name,
      );
      const column = (await person.texts('[role="columnheader"]')).findIndex((t) =>
        t.startsWith("val/loss"),
      );
      const said = await person.see(
        (c) => document.querySelector(".grid-row").children[c].textContent,
        column,
      );
      agrees(said.replace("★", ""), value, "val/loss of the best run");
      within(2);
    });

    test(`${browser}: two runs compared`, async () => {
      const names = (await person.texts(".grid-row .name .ellipsis")).slice(0, 2);
      for (const name of names) await person.click(`.grid-row input[aria-label$="${name}"]`);
      await person.click("button", "Compare");
      await person.until(() => document.querySelector(".grid-row [data-delta]"));
      await person.until(() =>
        [...document.querySelectorAll(".grid-row")].some((r) =>
          r.textContent.startsWith("val/loss"),
        ),
      );
      const heads = await person.texts('[role="columnheader"]');
      const shown = await person.see(() => {
        const row = [...document.querySelectorAll(".grid-row")].find((r) =>
          r.textContent.startsWith("val/loss"),
        );
        return [...row.children].map((cell) => ({
          text: (cell.querySelector(".cell-value") ?? cell).textContent,
          delta: cell.querySelector("[data-delta]")?.textContent,
        }));
      });
      const values = await truth(
        `json.dump([next(last(r["id"], "val/loss") for r in runs if r["name"] == n) for n in data], sys.stdout)`,
        names,
      );
      const at = names.map((name) => heads.findIndex((head) => head.startsWith(name)));
      const base = at.indexOf(Math.min(...at));
      for (const [i, name] of names.entries()) {
        const { text, delta } = shown[at[i]];
        agrees(delta ? text.replace(delta, "") : text, values[i], `val/loss of ${name}`);
        if (i !== base)
          agrees(
            delta.replace(/[%\s−]/g, (c) => (c === "−" ? "-" : "")),
            ((values[i] - values[base]) / Math.abs(values[base])) * 100,
            "difference",
          );
      }
      within(3);
    });

    test(`${browser}: a group by lr with mean ± std`, async () => {
      await person.click(rail("Charts"));
      await person.click('button[aria-label="Group runs"]');
      await person.choose("#group-by-0", "config:lr");
      const expected = await truth(`
g = pd.DataFrame([(r["config"]["lr"], last(r["id"], "val/loss")) for r in runs], columns=["lr", "v"]).groupby("lr").v
json.dump([[float(k), int(n), float(m), float(s)] for k, n, m, s in zip(g.mean().index, g.count(), g.mean(), g.std())], sys.stdout)`);
      await person.eventually(async () => {
        const rows = await person.see(() =>
          [...document.querySelectorAll(".run-row[data-group]")].map((e) => [
            e.dataset.group,
            e.querySelector(".count").textContent,
            e.querySelector(".list-value")?.textContent ?? "",
          ]),
        );
        assert.equal(rows.length, expected.length);
        for (const [i, [label, count, text]] of rows.entries()) {
          const [lr, n, mean, std] = expected[i];
          assert.equal(Number(label), lr);
          assert.equal(Number(count), n);
          const [a, b] = text.split("±");
          agrees(a, mean, `mean of lr ${lr}`);
          agrees(b, std, `deviation of lr ${lr}`);
        }
      });
      within(3);
    });

    test(`${browser}: a link shared`, async () => {
      await person.click('button[aria-label="Export and share"]');
      await person.click('[role="menuitem"]', "Copy link");
      await person.until(() => /Copied/.test(document.querySelector(".toasts").textContent));
      within(2);
      const seen = () =>
        [...document.querySelectorAll(".run-row, .legend[data-groups] span")].map(
          (e) => e.textContent,
        );
      const other = await driver.open(person.url());
      await other.until(() => document.querySelectorAll(".run-row[data-group]").length > 0);
      await other.eventually(async () =>
        assert.deepEqual(await other.see(seen), await person.see(seen)),
      );
      await other.done();
    });

    test(`${browser}: a picture at a step in full size`, async () => {
      await person.click(rail("Media"));
      await person.until(() => document.querySelector('[data-key="reconstruction"] img'));
      await person.clickAt('[role="slider"][aria-label="Step"]', 0.5);
      // Every hundredth step has one.
      const steps = await truth(
        `json.dump(list(range(0, len(series(runs[0]["id"], "train/loss")), 100)), sys.stdout)`,
      );
      const stepOf = () =>
        Number(
          /step ([\d,]+)/
            .exec(document.querySelector('[data-key="reconstruction"]').textContent)?.[1]
            .replaceAll(",", ""),
        );
      await person.eventually(async () => assert.ok((await person.see(stepOf)) > 0));
      const step = await person.see(stepOf);
      assert.ok(steps.includes(step), `step ${step} of ${steps}`);
      await person.click('[data-key="reconstruction"] img');
      await person.until(
        (wanted) =>
          document.querySelector(".lightbox [data-loaded=yes]") &&
          document.querySelector(".lightbox").textContent.replaceAll(",", "").includes(wanted),
        `step ${step}`,
      );
      assert.match(
        await person.see(() => document.querySelector(".lightbox").textContent),
        /120 × 120/,
        "the size it was logged with",
      );
      within(3);
    });
  });
