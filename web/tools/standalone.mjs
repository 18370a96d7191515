// Bundles the page of `taffrail export --format html` into one file: script, styles and the program
// of its worker inside, a mark where the data goes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export async function standalone(common, out) {
  const text = async (entry, more = {}) =>
    (await build({ ...common, entryPoints: [entry], write: false, ...more })).outputFiles[0].text;
  const worker = await text("src/viz/raster_worker.ts", { format: "iife" });
  const script = await text("src/standalone/main.ts", {
    format: "iife",
    define: {
      RASTER_WORKER_URL: "globalThis.taffrailRaster",
      RASTER_WORKER_SOURCE: JSON.stringify(worker),
    },
  });
  const style = await text("src/standalone/standalone.css");
  // A string of the script must not end its element; functions, because $ means something in texts.
  writeFileSync(
    out,
    readFileSync(join(common.absWorkingDir, "src/standalone/standalone.html"), "utf8")
      .replace("<!--style-->", () => `<style>${style}</style>`)
      .replace(
        "<!--script-->",
        () => `<script>${script.replaceAll("</script", "<\\/script")}</script>`,
      ),
  );
}
