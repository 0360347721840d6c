import type { Endpoint } from 'operation-rest';
import type { secondaryLimits } from '../src/limits/request-limit-tables.ts';

const begin = '<!-- Printed from the operation files; `npm run print` renews it. -->\n';
const end = '\n<!-- End of what is printed. -->';

/**
 * `document` with the table of the endpoints whose points are not those of every read or write, or are declared, in place of what
 * stands between its two marks.
 * @throws Error if it has no such marks
 */
export function withPointsTable(
  document: string,
  endpoints: readonly Endpoint[],
  { limit }: (typeof secondaryLimits)['endpointPoints'],
): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/limits.md has no place for the table of points.');
  const rows = endpoints
    .map(({ operation }) => ({ ...operation, ofKind: operation.kind === 'mutation' ? 5 : 1 }))
    .filter(({ points, pointsReason, ofKind }) => pointsReason !== undefined || points !== ofKind)
    .toSorted((one, other) => other.points - one.points || one.path.localeCompare(other.path))
    .map(({ method, path, points, pointsReason, ofKind }) => {
      const why = pointsReason ?? `${ofKind}, and ${points - ofKind} for its work`;
      return `| \`${method} ${path.replaceAll('{+', '{')}\` | ${points} | ${Math.floor(limit / points)} | ${why} |`;
    });
  const head = '| endpoint | points | requests per minute | why |\n|---|---|---|---|';
  return `${before}${begin}\n${head}\n${rows.join('\n')}\n${end}${after}`;
}
