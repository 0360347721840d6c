import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { type HiddenFields, SessionForm } from '../form.tsx';
import { VisitorContext } from '../layout.tsx';
import { Progress } from '../progress.tsx';
import { ScrollRegion } from './scroll-region.tsx';

/** Null is an empty cell. */
export type Cell = string | number | null;

export interface Column {
  name: string;
  /** `share` and `progress`, which is a bar: from 0 to 1. `time`: ISO 8601. */
  type: 'text' | 'number' | 'share' | 'progress' | 'time';
}

/** A button at the end of a row. */
export interface RowForm {
  /** Where it posts to. */
  path: string;
  label: string;
  fields: HiddenFields;
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
  /** Buttons by row, shown to browsers that are signed in; undefined for none. */
  forms?: readonly (RowForm | undefined)[];
  /** Whether it is never folded up. */
  isOpen?: boolean;
}

/** A share of a whole as a fraction with four decimals; null of nothing. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

function format(cell: Cell, type: Column['type']): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return type === 'time' ? cell.slice(0, 16).replace('T', ' ') : cell;
  return type === 'share' || type === 'progress' ? `${(cell * 100).toFixed(1)} %` : cell.toLocaleString('en');
}

export function DataTableView({ table }: { table: DataTable }): JSX.Element {
  const { columns, rows, caption, links, forms } = table;
  const { formToken } = useContext(VisitorContext);
  const hasForms = forms !== undefined && formToken !== undefined;
  const classOf = (type: Column['type']): string | undefined =>
    type === 'number' || type === 'share' ? 'figure' : type === 'time' ? 'time' : undefined;
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
            {hasForms && <th scope="col">Action</th>}
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
                    {type === 'progress' && <Progress of={row[index] ?? null} name={text} />}
                    {link === undefined ? text : <a href={link}>{text}</a>}
                  </td>
                );
              })}
              {hasForms && (
                <td>
                  <RowButton form={forms[at]} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function RowButton({ form }: { form: RowForm | undefined }): JSX.Element | null {
  if (!form) return null;
  const { path, label, fields } = form;
  return (
    <SessionForm action={path} hidden={fields}>
      <button type="submit" class="quiet">
        {label}
      </button>
    </SessionForm>
  );
}
