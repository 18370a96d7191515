// Meshes and point clouds through one WebGL 2 context for the whole page; each panel shows a copy
// on its own 2D canvas.
//
// Browsers allow about sixteen contexts, so panels never own one. The camera is shared: turning one
// panel turns all of them.
import { signal } from "@preact/signals";
import type { Mesh } from "./mesh_files";

export interface Camera {
  yaw: number;
  pitch: number;
  distance: number;
}
export const camera = signal<Camera>({ yaw: 0.6, pitch: 0.4, distance: 2.6 });
/** Points drawn while the camera moves; software rendering stays fluid. */
const movingPoints = 100_000;

const vertexSource = `#version 300 es
in vec3 position; in vec3 normal; in vec3 color;
uniform mat4 matrix; uniform vec3 centre; uniform float scale; uniform float size; uniform vec3 light; uniform float lit;
out vec3 tone;
void main() {
  vec3 p = (position - centre) * scale;
  gl_Position = matrix * vec4(p, 1.0);
  gl_PointSize = size;
  float shade = mix(1.0, 0.35 + 0.65 * abs(dot(normalize(normal + vec3(1e-6)), light)), lit);
  tone = color * shade;
}`;
const fragmentSource = `#version 300 es
precision mediump float;
in vec3 tone; out vec4 pixel;
void main() { pixel = vec4(tone, 1.0); }`;

interface Loaded {
  mesh: Mesh;
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
  centre: [number, number, number];
  scale: number;
}

let canvas: HTMLCanvasElement | null = null;
let gl: WebGL2RenderingContext | null = null;
let program: WebGLProgram | null = null;
let uniforms: Record<string, WebGLUniformLocation | null> = {};
const loaded = new Map<Mesh, Loaded>();
const panels = new Set<{ redraw: () => void }>();
export const viewerStats = { contexts: 0, losses: 0, frames: 0 };

function context(): WebGL2RenderingContext {
  if (gl && !gl.isContextLost()) return gl;
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      viewerStats.losses++;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      loaded.clear();
      gl = null;
      for (const p of panels) p.redraw();
    });
    viewerStats.contexts++;
  }
  gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: true });
  if (!gl) throw new Error("this browser offers no WebGL 2, so 3D cannot be shown");
  const compile = (type: number, source: string) => {
    const shader = gl!.createShader(type)!;
    gl!.shaderSource(shader, source);
    gl!.compileShader(shader);
    return shader;
  };
  program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, vertexSource));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, fragmentSource));
  ["position", "normal", "color"].forEach((name, i) => gl!.bindAttribLocation(program!, i, name));
  gl.linkProgram(program);
  uniforms = {};
  for (const name of ["matrix", "centre", "scale", "size", "light", "lit"])
    uniforms[name] = gl.getUniformLocation(program, name);
  return gl;
}

function vertexNormals(mesh: Mesh): Float32Array {
  const out = new Float32Array(mesh.positions.length);
  const p = mesh.positions;
  const index = mesh.indices!;
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [index[i] * 3, index[i + 1] * 3, index[i + 2] * 3];
    const ux = p[b] - p[a],
      uy = p[b + 1] - p[a + 1],
      uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a],
      vy = p[c + 1] - p[a + 1],
      vz = p[c + 2] - p[a + 2];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const v of [a, b, c]) for (let k = 0; k < 3; k++) out[v + k] += n[k];
  }
  return out;
}

function load(mesh: Mesh): Loaded {
  const held = loaded.get(mesh);
  if (held) return held;
  const g = context();
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < mesh.positions.length; i++) {
    const v = mesh.positions[i];
    if (v < low[i % 3]) low[i % 3] = v;
    if (v > high[i % 3]) high[i % 3] = v;
  }
  const array = g.createVertexArray()!;
  g.bindVertexArray(array);
  const buffers: WebGLBuffer[] = [];
  const attribute = (
    slot: number,
    data: Float32Array | Uint8Array | null,
    normalized: boolean,
    fallback: [number, number, number],
  ) => {
    if (!data) {
      g.disableVertexAttribArray(slot);
      g.vertexAttrib3f(slot, ...fallback);
      return;
    }
    const buffer = g.createBuffer()!;
    buffers.push(buffer);
    g.bindBuffer(g.ARRAY_BUFFER, buffer);
    g.bufferData(g.ARRAY_BUFFER, data, g.STATIC_DRAW);
    g.enableVertexAttribArray(slot);
    g.vertexAttribPointer(
      slot,
      3,
      data instanceof Uint8Array ? g.UNSIGNED_BYTE : g.FLOAT,
      normalized,
      0,
      0,
    );
  };
  attribute(0, mesh.positions, false, [0, 0, 0]);
  attribute(1, mesh.indices ? (mesh.normals ?? vertexNormals(mesh)) : null, false, [0, 0, 1]);
  attribute(2, mesh.colors, true, [0.45, 0.55, 0.8]);
  if (mesh.indices) {
    const buffer = g.createBuffer()!;
    buffers.push(buffer);
    g.bindBuffer(g.ELEMENT_ARRAY_BUFFER, buffer);
    g.bufferData(g.ELEMENT_ARRAY_BUFFER, mesh.indices, g.STATIC_DRAW);
  }
  const extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const entry: Loaded = {
    mesh,
    array,
    buffers,
    centre: [0, 1, 2].map((k) => (low[k] + high[k]) / 2) as [number, number, number],
    scale: 2 / extent,
  };
  loaded.set(mesh, entry);
  return entry;
}

function viewMatrix(aspect: number): Float32Array {
  const { yaw, pitch, distance } = camera.value;
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  // Rows of the rotation: right, up, towards the eye. z is up in the data.
  const right = [cy, sy, 0];
  const up = [-sy * sp, cy * sp, cp];
  const back = [sy * cp, -cy * cp, sp];
  const f = 1.6;
  const near = 0.05;
  const far = 50;
  const out = new Float32Array(16);
  for (let k = 0; k < 3; k++) {
    out[k * 4] = (right[k] * f) / Math.max(1, aspect);
    out[k * 4 + 1] = up[k] * f * Math.min(1, aspect);
    out[k * 4 + 2] = (back[k] * (far + near)) / (near - far);
    out[k * 4 + 3] = -back[k];
  }
  out[14] = (-distance * (far + near) + 2 * far * near) / (near - far);
  out[15] = distance;
  return out;
}

/** Draws `mesh` into `target`; `moving` draws fewer points. */
export function drawMesh(
  target: HTMLCanvasElement,
  mesh: Mesh,
  ground: [number, number, number],
  moving: boolean,
): void {
  const g = context();
  const entry = load(mesh);
  const { width, height } = target;
  if (canvas!.width < width || canvas!.height < height) {
    canvas!.width = Math.max(canvas!.width, width);
    canvas!.height = Math.max(canvas!.height, height);
  }
  g.viewport(0, canvas!.height - height, width, height);
  g.enable(g.SCISSOR_TEST);
  g.scissor(0, canvas!.height - height, width, height);
  g.clearColor(ground[0] / 255, ground[1] / 255, ground[2] / 255, 1);
  g.clear(g.COLOR_BUFFER_BIT | g.DEPTH_BUFFER_BIT);
  g.enable(g.DEPTH_TEST);
  g.useProgram(program);
  g.bindVertexArray(entry.array);
  if (!mesh.colors) g.vertexAttrib3f(2, 0.45, 0.55, 0.8);
  if (!mesh.indices) g.vertexAttrib3f(1, 0, 0, 1);
  const { yaw, pitch } = camera.value;
  g.uniformMatrix4fv(uniforms.matrix, false, viewMatrix(width / height));
  g.uniform3f(uniforms.centre, ...entry.centre);
  g.uniform1f(uniforms.scale, entry.scale);
  g.uniform1f(
    uniforms.size,
    Math.max(1.5, Math.min(4, 500 / Math.sqrt(mesh.positions.length / 3 + 1))),
  );
  g.uniform3f(
    uniforms.light,
    Math.sin(yaw) * Math.cos(pitch),
    -Math.cos(yaw) * Math.cos(pitch),
    Math.sin(pitch),
  );
  g.uniform1f(uniforms.lit, mesh.indices ? 1 : 0);
  if (mesh.indices) g.drawElements(g.TRIANGLES, mesh.indices.length, g.UNSIGNED_INT, 0);
  else
    g.drawArrays(
      g.POINTS,
      0,
      moving ? Math.min(movingPoints, mesh.positions.length / 3) : mesh.positions.length / 3,
    );
  g.bindVertexArray(null);
  viewerStats.frames++;
  target.getContext("2d")!.drawImage(canvas!, 0, 0, width, height, 0, 0, width, height);
}

export function addPanel(panel: { redraw: () => void }): () => void {
  panels.add(panel);
  return () => panels.delete(panel);
}

export function unload(mesh: Mesh): void {
  const entry = loaded.get(mesh);
  if (!entry || !gl) return;
  gl.deleteVertexArray(entry.array);
  for (const b of entry.buffers) gl.deleteBuffer(b);
  loaded.delete(mesh);
}

/** For tests: the context is lost and comes back. */
export function loseContext(): void {
  const extension = gl?.getExtension("WEBGL_lose_context");
  extension?.loseContext();
  setTimeout(() => extension?.restoreContext(), 100);
}
