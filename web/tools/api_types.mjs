// The types of the HTTP API as TypeScript, from its description.

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "array": {
      const item = typeOf(schema.items);
      return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      if (schema.properties) return inline(schema);
      return schema.additionalProperties
        ? `Record<string, ${typeOf(schema.additionalProperties)}>`
        : "object";
    default:
      return "unknown";
  }
}

/** An object without a name of its own, on one line. */
function inline(schema) {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(
    ([member, type]) => `${member}${required.has(member) ? "" : "?"}: ${typeOf(type)}`,
  );
  return `{ ${members.join("; ")} }`;
}

function declaration(name, schema) {
  const lines = [];
  if (schema.description) lines.push(`/** ${schema.description} */`);
  if (schema.type !== "object" || !schema.properties) {
    lines.push(`export type ${name} = ${typeOf(schema)};`);
    return lines.join("\n");
  }
  const required = new Set(schema.required ?? []);
  lines.push(`export interface ${name} {`);
  for (const [member, type] of Object.entries(schema.properties)) {
    if (type.description) lines.push(`  /** ${type.description} */`);
    lines.push(`  ${member}${required.has(member) ? "" : "?"}: ${typeOf(type)};`);
  }
  lines.push("}");
  return lines.join("\n");
}

/** The text of types.ts for a description of the API. */
export const typesOf = (schema) =>
  [
    "// Types of the HTTP API, written by tools/generate_types.mjs from docs/api/schema.json. Do not edit by hand.",
    ...Object.entries(schema.components.schemas).map(([name, type]) => declaration(name, type)),
    "",
  ].join("\n\n");
