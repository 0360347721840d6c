import type { Cell, DataTable } from './data-table.tsx';

/** A table as RFC 4180 says. */
export function csvOf({ columns, rows }: Pick<DataTable, 'columns' | 'rows'>): string {
  return [columns.map(({ name }) => name), ...rows].map(row => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * Spreadsheets run a cell that begins with one of these as a formula, also after white space. Names of routes, tokens and refs are
 * texts of users, and an apostrophe before them makes them texts of the spreadsheet as well.
 */
const formulaStart = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) || text !== cell ? `"${text.replaceAll('"', '""')}"` : text;
}
