// A mesh or point cloud; dragging turns every panel of the page.
import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { getBytes } from "../api/client";
import type { MeshValue } from "../api/types";
import { emptyMesh, parseMesh, type Mesh } from "../lib/mesh_files";
import { addPanel, camera, drawMesh, loseContext, unload, viewerStats } from "../lib/viewer3d";
import { theme } from "../state/settings";
import { formatInteger } from "../viz/format";
import { parseColor, themes } from "../viz/palette";

Object.assign((window as unknown as { __taffrail: object }).__taffrail, {
  viewer: viewerStats,
  loseContext,
});

export default function MeshPanel({
  run,
  value,
  size,
}: {
  run: string;
  value: MeshValue;
  size: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const element = canvas.current!;
    let mesh: Mesh | null = null;
    let gone = false;
    let moving = 0;
    const draw = (fast: boolean) => {
      if (!mesh || gone) return;
      try {
        drawMesh(element, mesh, parseColor(themes[theme.peek()].sunken), fast);
        element.dataset.drawn = "1";
      } catch (e) {
        setError((e as Error).message);
      }
    };
    let frame = 0;
    const stops = [
      addPanel({ redraw: () => draw(false) }),
      effect(() => {
        void camera.value;
        void theme.value;
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => draw(moving > 0));
      }),
    ];
    getBytes("blob", {
      run,
      sha: value.data.sha,
      format: value.format === "arrays" ? undefined : value.format,
    })
      .then((bytes) => {
        const parsed = parseMesh(value.format, bytes, value);
        const words = emptyMesh(parsed);
        if (words) throw new Error(words);
        mesh = parsed;
        draw(false);
      })
      .catch((e: Error) => !gone && setError(e.message));
    const abort = new AbortController();
    element.addEventListener(
      "pointerdown",
      (down) => {
        element.setPointerCapture(down.pointerId);
        moving = 1;
        const start = camera.value;
        const { clientX, clientY } = down;
        const move = (e: PointerEvent) =>
          (camera.value = {
            ...start,
            yaw: start.yaw - (e.clientX - clientX) * 0.01,
            pitch: Math.max(-1.5, Math.min(1.5, start.pitch + (e.clientY - clientY) * 0.01)),
          });
        const up = () => {
          moving = 0;
          element.removeEventListener("pointermove", move);
          camera.value = { ...camera.value };
        };
        element.addEventListener("pointermove", move);
        element.addEventListener("pointerup", up, { once: true });
        element.addEventListener("pointercancel", up, { once: true });
      },
      { signal: abort.signal },
    );
    element.addEventListener(
      "wheel",
      (e) => {
        if (document.activeElement !== element && !e.altKey) return;
        e.preventDefault();
        camera.value = {
          ...camera.value,
          distance: Math.max(0.5, Math.min(20, camera.value.distance * Math.exp(e.deltaY * 0.001))),
        };
      },
      { signal: abort.signal, passive: false },
    );
    element.addEventListener(
      "keydown",
      (e) => {
        const turn: Record<string, Partial<typeof camera.value>> = {
          ArrowLeft: { yaw: camera.value.yaw - 0.1 },
          ArrowRight: { yaw: camera.value.yaw + 0.1 },
          ArrowUp: { pitch: camera.value.pitch + 0.1 },
          ArrowDown: { pitch: camera.value.pitch - 0.1 },
          "+": { distance: camera.value.distance / 1.2 },
          "-": { distance: camera.value.distance * 1.2 },
        };
        if (!turn[e.key]) return;
        e.preventDefault();
        camera.value = { ...camera.value, ...turn[e.key] };
      },
      { signal: abort.signal },
    );
    return () => {
      gone = true;
      abort.abort();
      for (const stop of stops) stop();
      if (mesh) unload(mesh);
    };
  }, [run, value.data.sha]);
  if (error)
    return (
      <div class="media-note" role="note" style={{ width: size }}>
        {error}
      </div>
    );
  return (
    <canvas
      ref={canvas}
      class="mesh"
      width={size}
      height={size}
      style={{ width: size, height: size }}
      tabIndex={0}
      role="img"
      aria-label={
        value.faces
          ? `Mesh of ${formatInteger(value.vertices)} vertices and ${formatInteger(value.faces)} faces; drag or use arrow keys to turn`
          : `Point cloud of ${formatInteger(value.vertices)} points; drag or use arrow keys to turn`
      }
    />
  );
}
