// The address holds the whole view; undo, redo, back and forward walk through the same steps.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getJson, postJson } from "./api.mjs";
import { difference, eventually, open, painted, quit, settled } from "./browser.mjs";
import { serve } from "./server.mjs";

let server, address;
before(async () => {
  server = await serve(["demo"], { options: { runs: 12, points: 600 } });
  const project = encodeURIComponent((await getJson(server.url, "projects")).projects[0].name);
  address = (page, rest = "") => `${server.url}#/${page}?project=${project}${rest}`;
});
after(async () => {
  await quit();
  await server?.close();
});
const view = (page) => page.evaluate(() => window.__taffrail.view());

/** A seeded walk of clicks, keys and drags; each is exactly one step. */
async function walk(page, steps, seed) {
  let s = seed;
  const random = (n) => ((s = (Math.imul(s, 1103515245) + 12345) >>> 0) >>> 8) % n;
  const states = [await view(page)];
  const actions = [
    async () => page.locator(".run-row input").nth(random(10)).click(),
    async () =>
      page
        .getByLabel("x axis", { exact: true })
        .selectOption(["step", "relative", "epoch"][random(3)]),
    async () => {
      await page.getByRole("button", { name: "Axes and drawing" }).click();
      await page
        .getByRole("group", { name: "y scale" })
        .getByText(["linear", "log", "symlog"][random(3)], { exact: true })
        .click();
      await page.keyboard.press("Escape");
    },
    async () => {
      await settled(page);
      const box = await page.locator(".chart-card .plot").first().boundingBox();
      const a = 80 + random(100);
      await page.mouse.move(box.x + a, box.y + 70);
      await page.mouse.down();
      await page.mouse.move(box.x + a + 60 + random(60), box.y + 72, { steps: 3 });
      await page.mouse.up();
    },
    async () => page.locator(".section-head button").nth(random(3)).click(),
    async () => {
      await page.getByRole("button", { name: "Group runs" }).click();
      await page.getByLabel("Group by").selectOption(["", "*", "group"][random(3)]);
      await page.keyboard.press("Escape");
    },
    async () => {
      await page.getByRole("button", { name: "Axes and drawing" }).click();
      await page
        .getByRole("group", { name: "Card size" })
        .getByText(["small", "medium", "large"][random(3)], { exact: true })
        .click();
      await page.keyboard.press("Escape");
    },
  ];
  let guard = 0;
  while (states.length <= steps && guard++ < steps * 4) {
    const before = JSON.stringify(states[states.length - 1]);
    await actions[random(actions.length)]();
    await page.waitForTimeout(450); // wheel and drag in quick succession would count as one step
    const now = await view(page);
    if (JSON.stringify(now) !== before) states.push(now);
  }
  return states;
}

test("8: thirty actions later the address opens as the same view and the same picture in a fresh profile", async () => {
  const first = await open(address("charts"));
  await painted(first.page, "auto:loss");
  const states = await walk(first.page, 30, 7);
  assert.ok(states.length > 20);
  await first.page.mouse.move(900, 5);
  await first.page.evaluate(() => (document.querySelector('[data-scroll="charts"]').scrollTop = 0));
  await settled(first.page, 600);
  const url = first.page.url();
  const mine = await view(first.page);
  const picture = await first.page.screenshot({ animations: "disabled", caret: "hide" });
  await first.done();
  const second = await open(url);
  await second.page.waitForFunction(() => document.querySelectorAll(".run-row").length > 0);
  await settled(second.page, 900);
  assert.deepEqual(await view(second.page), mine);
  await second.page.mouse.move(900, 5);
  const other = await second.page.screenshot({ animations: "disabled", caret: "hide" });
  // Undo buttons differ: the fresh profile has no past.
  const share = difference(picture, other);
  assert.ok(share <= 0.001, `${(share * 100).toFixed(3)} % of the pixels differ`);
  await second.done();
});

test("9: undo and redo, back and forward walk exactly through the actions", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  const states = await walk(page, 8, 99);
  const n = states.length - 1;
  const expect = async (state, what) => {
    await page
      .waitForFunction((s) => JSON.stringify(window.__taffrail.view()) === s, JSON.stringify(state))
      .catch(() => assert.fail(what));
  };
  await page.locator("#main").focus();
  for (let i = n - 1; i >= 0; i--) {
    await page.keyboard.press("Control+z");
    await expect(states[i], `undo to step ${i}`);
  }
  for (let i = 1; i <= n; i++) {
    await page.keyboard.press("Control+Shift+z");
    await expect(states[i], `redo to step ${i}`);
  }
  for (let i = n - 1; i >= 0; i--) {
    await page.goBack();
    await expect(states[i], `back to step ${i}`);
  }
  for (let i = 1; i <= n; i++) {
    await page.goForward();
    await expect(states[i], `forward to step ${i}`);
  }
  await done();
});

test("undo pressed before an edit is answered takes back that edit, and nothing else", async () => {
  const { page, done } = await open(address("table"), { allow: ["403"] });
  await page.waitForSelector(".grid-row");
  await settled(page);
  const name = await page.locator(".grid-row .name .ellipsis").first().textContent();
  await page.getByLabel(`Tick ${name}`).click();
  const {
    compared: [id],
    project,
  } = await view(page);
  const colour = async () => {
    const { runs } = await postJson(server.url, "runs:query", { project });
    return runs.color[runs.id.indexOf(id)];
  };
  const edits = [];
  let refuse = false;
  await page.route(/api\/v1\/edits/, async (route) => {
    edits.push(route.request().postDataJSON());
    if (refuse)
      return route.fulfill({
        status: 403,
        json: { error: { code: "read_only", message: "not now", request_id: "" } },
      });
    const response = await route.fetch();
    await new Promise((r) => setTimeout(r, 700));
    await route.fulfill({ response });
  });
  await page
    .getByRole("toolbar", { name: "Ticked runs" })
    .getByRole("button", { name: "Colour", exact: true })
    .click();
  await page
    .getByRole("button", { name: /^Colour #/ })
    .first()
    .click();
  await eventually(async () => assert.match(await colour(), /^#/));
  await page.locator("#main").focus();
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await colour(), ""));
  await page.getByText(/^Undone: Coloured/).waitFor();
  assert.deepEqual((await view(page)).compared, [id], "the tick of before stays");
  assert.equal(edits.length, 2);

  // Pressed twice at once: the edit first, then the tick; and forward again the same way.
  await page.keyboard.press("Control+Shift+z");
  await page.getByText(/^Done again: Coloured/).waitFor();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.deepEqual((await view(page)).compared, []));
  assert.equal(await colour(), "");
  await page.keyboard.press("Control+Shift+z");
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => assert.match(await colour(), /^#/));
  assert.deepEqual((await view(page)).compared, [id]);

  // An edit that could not be taken back stays a step.
  refuse = true;
  await page.keyboard.press("Control+z");
  await page.getByText("not now").waitFor();
  assert.match(await colour(), /^#/);
  refuse = false;
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await colour(), ""));
  await done();
});

test("the browser's Back leaves edits alone; a message's Undo takes back what the message tells", async () => {
  const { page, done } = await open(address("table"));
  await page.waitForSelector(".grid-row");
  await settled(page);
  const name = await page.locator(".grid-row .name .ellipsis").first().textContent();
  await page.getByLabel(`Tick ${name}`).click();
  const {
    compared: [id],
    project,
  } = await view(page);
  const colour = async () => {
    const { runs } = await postJson(server.url, "runs:query", { project });
    return runs.color[runs.id.indexOf(id)];
  };
  await page
    .getByRole("toolbar", { name: "Ticked runs" })
    .getByRole("button", { name: "Colour", exact: true })
    .click();
  await page
    .getByRole("button", { name: /^Colour #/ })
    .first()
    .click();
  const message = page.locator(".toast", { hasText: "Coloured" });
  await message.waitFor();
  await page.getByRole("columnheader", { name: /^val\/loss/ }).click();
  await eventually(async () => assert.equal((await view(page)).sort.length, 1));
  await message.getByRole("button", { name: "Undo" }).click();
  await eventually(async () => assert.equal(await colour(), ""));
  assert.equal((await view(page)).sort.length, 1, "the sort order stays");
  await page.locator("#main").focus();
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => assert.match(await colour(), /^#/));
  // Back over the sort order and the tick; the colour can still be taken back.
  await page.goBack();
  await page.goBack();
  await eventually(async () =>
    assert.deepEqual([(await view(page)).compared, (await view(page)).sort], [[], []]),
  );
  assert.match(await colour(), /^#/);
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await colour(), ""));
  await done();
});

test("a view too long for an address is kept by the server", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await page.evaluate(() => 0);
  const long = Array.from({ length: 400 }, (_, i) => `some/very/long/metric/name/${i}`);
  const z = Buffer.from(JSON.stringify({ closed: long })).toString("base64url");
  await page.goto(address("charts", `&z=${z}`));
  await page.reload();
  await painted(page, "auto:loss");
  await page.locator(".section-head button").first().click();
  await page.waitForFunction(() => location.hash.includes("s="));
  const url = page.url();
  assert.ok(url.length < 300);
  await done();
  const second = await open(url);
  await second.page.waitForFunction(() => window.__taffrail.view().closed.length === 401);
  await second.done();
});

test("the command palette finds pages, runs and metrics; ? shows the keyboard map; g t opens the table", async () => {
  const { page, done } = await open(address("charts"));
  await painted(page, "auto:loss");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("hyper");
  await page.keyboard.press("Enter");
  await page.waitForSelector('[data-page="hparams"]');
  await page.keyboard.press("Control+k");
  await page.keyboard.type("val/loss");
  await page.locator('[role="option"]', { hasText: "val/loss" }).first().click();
  await page.waitForSelector(".full-card .plot[data-painted]");
  await page.keyboard.press("Escape");
  await page.locator("#main").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard map" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForSelector('[data-page="table"] .grid-row');
  await done();
});
