// Reads meshes and point clouds: the recorder's own arrays, OBJ, PLY, STL and GLB.

export interface Mesh {
  positions: Float32Array; // xyz
  normals: Float32Array | null;
  colors: Uint8Array | null; // rgb
  indices: Uint32Array | null; // triangles; null = points
}

export function parseMesh(
  format: string,
  bytes: ArrayBuffer,
  hint: { vertices: number; faces: number; has_colors: boolean; has_normals: boolean },
): Mesh {
  switch (format) {
    case "arrays":
      return parseArrays(bytes, hint);
    case "obj":
      return parseObj(new TextDecoder().decode(bytes));
    case "ply":
      return parsePly(bytes);
    case "stl":
      return parseStl(bytes);
    case "glb":
      return parseGlb(bytes);
    default:
      throw new Error(`meshes of format ${format} cannot be shown; download the file instead`);
  }
}

/** Why a mesh would be an empty picture; "" when there is something to see. */
export function emptyMesh({ positions, indices }: Mesh): string {
  const count = positions.length / 3;
  if (count === 0) return "This mesh has no vertices.";
  let finite = 0;
  for (let i = 0; i < positions.length; i++) if (Number.isFinite(positions[i])) finite++;
  if (finite === 0) return "No coordinate of this mesh is a finite number.";
  if (!indices) return "";
  if (indices.length === 0) return `This mesh has ${count} vertices and no faces.`;
  for (let i = 0; i < indices.length; i++)
    if (indices[i] >= count)
      return `A face names vertex ${indices[i]}, and there are only ${count}.`;
  return hasArea(positions, indices)
    ? ""
    : "The faces of this mesh have no area: their corners lie on a line or in one point.";
}

function hasArea(p: Float32Array, index: Uint32Array): boolean {
  for (let i = 0; i + 2 < index.length; i += 3) {
    const [a, b, c] = [index[i] * 3, index[i + 1] * 3, index[i + 2] * 3];
    const u = [0, 1, 2].map((k) => p[b + k] - p[a + k]);
    const v = [0, 1, 2].map((k) => p[c + k] - p[a + k]);
    const area = Math.hypot(
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    );
    if (area > 0) return true;
  }
  return false;
}

function parseArrays(
  bytes: ArrayBuffer,
  {
    vertices,
    faces,
    has_colors,
    has_normals,
  }: { vertices: number; faces: number; has_colors: boolean; has_normals: boolean },
): Mesh {
  let at = 0;
  const take = (length: number) => {
    const part = bytes.slice(at, at + length);
    if (part.byteLength !== length) throw new Error("the mesh is cut short");
    at += length;
    return part;
  };
  const positions = new Float32Array(take(vertices * 12));
  const indices = faces ? new Uint32Array(take(faces * 12)) : null;
  const colors = has_colors ? new Uint8Array(take(vertices * 3)) : null;
  const normals = has_normals ? new Float32Array(take(vertices * 12)) : null;
  return { positions, indices, colors, normals };
}

function parseObj(text: string): Mesh {
  const positions: number[] = [];
  const colors: number[] = [];
  const indices: number[] = [];
  for (const line of text.split("\n")) {
    const parts = line.trim().split(/\s+/);
    if (parts[0] === "v") {
      positions.push(Number(parts[1]), Number(parts[2]), Number(parts[3]));
      if (parts.length >= 7)
        colors.push(...parts.slice(4, 7).map((v) => Math.round(Number(v) * 255)));
    } else if (parts[0] === "f") {
      const corner = parts.slice(1).map((p) => {
        const i = parseInt(p, 10);
        return i < 0 ? positions.length / 3 + i : i - 1;
      });
      for (let k = 2; k < corner.length; k++) indices.push(corner[0], corner[k - 1], corner[k]);
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: null,
    colors: colors.length === positions.length ? Uint8Array.from(colors) : null,
    indices: indices.length ? Uint32Array.from(indices) : null,
  };
}

const plySizes: Record<string, number> = {
  char: 1,
  int8: 1,
  uchar: 1,
  uint8: 1,
  short: 2,
  int16: 2,
  ushort: 2,
  uint16: 2,
  int: 4,
  int32: 4,
  uint: 4,
  uint32: 4,
  float: 4,
  float32: 4,
  double: 8,
  float64: 8,
};

function plyReader(view: DataView, little: boolean, type: string): (at: number) => number {
  switch (type) {
    case "char":
    case "int8":
      return (at) => view.getInt8(at);
    case "uchar":
    case "uint8":
      return (at) => view.getUint8(at);
    case "short":
    case "int16":
      return (at) => view.getInt16(at, little);
    case "ushort":
    case "uint16":
      return (at) => view.getUint16(at, little);
    case "int":
    case "int32":
      return (at) => view.getInt32(at, little);
    case "uint":
    case "uint32":
      return (at) => view.getUint32(at, little);
    case "double":
    case "float64":
      return (at) => view.getFloat64(at, little);
    default:
      return (at) => view.getFloat32(at, little);
  }
}

function parsePly(bytes: ArrayBuffer): Mesh {
  const head = new TextDecoder("latin1").decode(bytes.slice(0, Math.min(bytes.byteLength, 65536)));
  const end = head.indexOf("end_header");
  if (!head.startsWith("ply") || end < 0) throw new Error("this is no PLY file");
  const bodyAt = head.indexOf("\n", end) + 1;
  const elements: {
    name: string;
    count: number;
    properties: { name: string; type: string; list?: string }[];
  }[] = [];
  let format = "ascii";
  for (const line of head.slice(0, end).split("\n")) {
    const p = line.trim().split(/\s+/);
    if (p[0] === "format") format = p[1];
    else if (p[0] === "element") elements.push({ name: p[1], count: Number(p[2]), properties: [] });
    else if (p[0] === "property")
      elements[elements.length - 1].properties.push(
        p[1] === "list" ? { name: p[4], type: p[3], list: p[2] } : { name: p[2], type: p[1] },
      );
  }
  const vertex = elements.find((e) => e.name === "vertex");
  if (!vertex) throw new Error("the PLY file has no vertices");
  const positions = new Float32Array(vertex.count * 3);
  const names = vertex.properties.map((p) => p.name);
  const colorNames = names.includes("red")
    ? ["red", "green", "blue"]
    : names.includes("r")
      ? ["r", "g", "b"]
      : null;
  const colors = colorNames ? new Uint8Array(vertex.count * 3) : null;
  const normals = names.includes("nx") ? new Float32Array(vertex.count * 3) : null;
  const indices: number[] = [];
  const face = (corner: number[]) => {
    for (let k = 2; k < corner.length; k++) indices.push(corner[0], corner[k - 1], corner[k]);
  };
  const put = (i: number, name: string, value: number, type: string) => {
    const xyz = ["x", "y", "z"].indexOf(name);
    if (xyz >= 0) positions[i * 3 + xyz] = value;
    const c = colorNames?.indexOf(name) ?? -1;
    if (c >= 0)
      colors![i * 3 + c] = type.startsWith("f") || type.startsWith("d") ? value * 255 : value;
    const n = ["nx", "ny", "nz"].indexOf(name);
    if (n >= 0 && normals) normals[i * 3 + n] = value;
  };
  if (format === "ascii") {
    const lines = new TextDecoder().decode(bytes.slice(bodyAt)).split("\n");
    let at = 0;
    for (const e of elements) {
      for (let i = 0; i < e.count; i++) {
        const p = (lines[at++] ?? "").trim().split(/\s+/).map(Number);
        if (e === vertex)
          e.properties.forEach((property, k) => put(i, property.name, p[k], property.type));
        else if (e.name === "face") face(p.slice(1, 1 + p[0]));
      }
    }
  } else {
    const view = new DataView(bytes);
    const little = format === "binary_little_endian";
    let at = bodyAt;
    for (const e of elements) {
      const readers = e.properties.map((p) => ({
        ...p,
        read: plyReader(view, little, p.type),
        size: plySizes[p.type],
        readCount: p.list ? plyReader(view, little, p.list) : null,
        countSize: p.list ? plySizes[p.list] : 0,
      }));
      for (let i = 0; i < e.count; i++) {
        for (const r of readers) {
          if (r.readCount) {
            const n = r.readCount(at);
            at += r.countSize;
            const corner: number[] = [];
            for (let k = 0; k < n; k++, at += r.size) corner.push(r.read(at));
            if (e.name === "face") face(corner);
          } else {
            if (e === vertex) put(i, r.name, r.read(at), r.type);
            at += r.size;
          }
        }
      }
    }
  }
  return { positions, normals, colors, indices: indices.length ? Uint32Array.from(indices) : null };
}

function parseStl(bytes: ArrayBuffer): Mesh {
  const view = new DataView(bytes);
  const count = bytes.byteLength >= 84 ? view.getUint32(80, true) : 0;
  const positions: number[] = [];
  if (bytes.byteLength === 84 + count * 50) {
    for (let i = 0; i < count; i++)
      for (let k = 0; k < 9; k++) positions.push(view.getFloat32(84 + i * 50 + 12 + k * 4, true));
  } else {
    for (const m of new TextDecoder().decode(bytes).matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g))
      positions.push(Number(m[1]), Number(m[2]), Number(m[3]));
  }
  return {
    positions: Float32Array.from(positions),
    normals: null,
    colors: null,
    indices: Uint32Array.from({ length: positions.length / 3 }, (_, i) => i),
  };
}

interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: {
    mesh?: number;
    children?: number[];
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  meshes?: {
    primitives: {
      attributes: Record<string, number>;
      indices?: number;
      mode?: number;
      material?: number;
    }[];
  }[];
  materials?: { pbrMetallicRoughness?: { baseColorFactor?: number[] } }[];
  accessors?: {
    bufferView?: number;
    byteOffset?: number;
    componentType: number;
    count: number;
    type: string;
    normalized?: boolean;
  }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
}

function parseGlb(bytes: ArrayBuffer): Mesh {
  const view = new DataView(bytes);
  if (view.getUint32(0, true) !== 0x46546c67) throw new Error("this is no GLB file");
  const jsonLength = view.getUint32(12, true);
  const gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, jsonLength))) as Gltf;
  const binaryAt = 20 + jsonLength + 8;
  const componentSize: Record<number, number> = {
    5120: 1,
    5121: 1,
    5122: 2,
    5123: 2,
    5125: 4,
    5126: 4,
  };
  const width: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
  const read = (index: number): { values: Float64Array; width: number; scale: number } => {
    const a = gltf.accessors![index];
    const n = width[a.type];
    const values = new Float64Array(a.count * n);
    if (a.bufferView === undefined) return { values, width: n, scale: 1 };
    const bv = gltf.bufferViews![a.bufferView];
    const size = componentSize[a.componentType];
    const stride = bv.byteStride ?? size * n;
    const base = binaryAt + (bv.byteOffset ?? 0) + (a.byteOffset ?? 0);
    for (let i = 0; i < a.count; i++) {
      for (let k = 0; k < n; k++) {
        const at = base + i * stride + k * size;
        values[i * n + k] =
          a.componentType === 5126
            ? view.getFloat32(at, true)
            : a.componentType === 5125
              ? view.getUint32(at, true)
              : a.componentType === 5123
                ? view.getUint16(at, true)
                : a.componentType === 5122
                  ? view.getInt16(at, true)
                  : a.componentType === 5121
                    ? view.getUint8(at)
                    : view.getInt8(at);
      }
    }
    return {
      values,
      width: n,
      scale: a.componentType === 5121 ? 1 : a.componentType === 5123 ? 1 / 257 : 255,
    };
  };
  const positions: number[] = [];
  const colors: number[] = [];
  const indices: number[] = [];
  const visit = (number: number, parent: number[], depth: number) => {
    const node = gltf.nodes![number];
    const world = multiply(
      parent,
      node.matrix ?? compose(node.translation, node.rotation, node.scale),
    );
    for (const primitive of node.mesh === undefined ? [] : gltf.meshes![node.mesh].primitives) {
      const p = read(primitive.attributes.POSITION).values;
      const base = positions.length / 3;
      for (let i = 0; i < p.length; i += 3) {
        for (let r = 0; r < 3; r++)
          positions.push(
            world[r] * p[i] + world[4 + r] * p[i + 1] + world[8 + r] * p[i + 2] + world[12 + r],
          );
      }
      const tint = gltf.materials?.[primitive.material ?? -1]?.pbrMetallicRoughness
        ?.baseColorFactor ?? [0.7, 0.72, 0.76];
      const c =
        primitive.attributes.COLOR_0 === undefined ? null : read(primitive.attributes.COLOR_0);
      for (let i = 0; i < p.length / 3; i++)
        for (let k = 0; k < 3; k++)
          colors.push(c ? c.values[i * c.width + k] * c.scale : tint[k] * 255);
      if ((primitive.mode ?? 4) !== 4) continue;
      if (primitive.indices !== undefined)
        for (const v of read(primitive.indices).values) indices.push(base + v);
      else for (let i = 0; i < p.length / 3; i++) indices.push(base + i);
    }
    if (depth < 32) for (const child of node.children ?? []) visit(child, world, depth + 1);
  };
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  for (const root of gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? gltf.nodes?.map((_, i) => i) ?? [])
    visit(root, identity, 0);
  return {
    positions: Float32Array.from(positions),
    normals: null,
    colors: Uint8Array.from(colors),
    indices: indices.length ? Uint32Array.from(indices) : null,
  };
}

function compose(t = [0, 0, 0], q = [0, 0, 0, 1], s = [1, 1, 1]): number[] {
  const [x, y, z, w] = q;
  return [
    (1 - 2 * (y * y + z * z)) * s[0],
    2 * (x * y + z * w) * s[0],
    2 * (x * z - y * w) * s[0],
    0,
    2 * (x * y - z * w) * s[1],
    (1 - 2 * (x * x + z * z)) * s[1],
    2 * (y * z + x * w) * s[1],
    0,
    2 * (x * z + y * w) * s[2],
    2 * (y * z - x * w) * s[2],
    (1 - 2 * (x * x + y * y)) * s[2],
    0,
    t[0],
    t[1],
    t[2],
    1,
  ];
}

function multiply(a: number[], b: number[]): number[] {
  const out = new Array<number>(16).fill(0);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) out[c * 4 + r] += a[k * 4 + r] * b[c * 4 + k];
  return out;
}
