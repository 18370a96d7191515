// A table that people open in a spreadsheet. The rule of cells is that of the server's exports
// (src/codec/csv.cpp).

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // What would be taken for a formula gets a quotation mark in front and is text.
  const isFormula = /^[=+\-@\t\r]/.test(value) && (!value.trim() || isNaN(Number(value)));
  const text = isFormula ? "'" + value : value;
  return /[",\r\n]|^ | $/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

export const csvOf = (rows: (string | number)[][]): string =>
  rows.map((row) => row.map(cell).join(",") + "\n").join("");
