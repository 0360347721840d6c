import type { JSX } from 'preact';
import { ScrollRegion } from './scroll-region.tsx';

/** Null is an empty cell. */
export type Cell = string | number | null;

export interface Column {
  name: string;
  /** `share`: from 0 to 1. `time`: ISO 8601. */
  type: 'text' | 'number' | 'share' | 'time';
}

/** Rows of a page, which are shown as a table and sent as CSV. */
export interface DataTable {
  /** Name in addresses and of the file: `routes`. */
  name: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  /** Addresses of the first cells, by row; undefined for none. */
  links?: readonly (string | undefined)[];
}

/** A share of a whole as a fraction with four decimals; null of nothing. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

function format(cell: Cell, type: Column['type']): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return type === 'time' ? cell.slice(0, 16).replace('T', ' ') : cell;
  return type === 'share' ? `${(cell * 100).toFixed(1)} %` : cell.toLocaleString('en');
}

export function DataTableView({ table }: { table: DataTable }): JSX.Element {
  const { columns, rows, caption, links } = table;
  const classOf = (type: Column['type']): string | undefined =>
    type === 'number' || type === 'share' ? 'figure' : undefined;
  return (
    <ScrollRegion label={caption}>
      <table class="data">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, type }) => (
              <th key={name} scope="col" class={classOf(type)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {columns.map(({ name, type }, index) => {
                const text = format(row[index] ?? null, type);
                const link = index === 0 ? links?.[at] : undefined;
                return (
                  <td key={name} class={classOf(type)}>
                    {link === undefined ? text : <a href={link}>{text}</a>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
