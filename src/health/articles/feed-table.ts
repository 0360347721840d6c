import { blockTags, type Element, type Node } from './feed-tree.ts';

// Wider tables are unreadable on a phone; the limit also bounds rows × columns of a hostile table.
const maxColumns = 20;

/**
 * Converts a table to a GFM table, or a layout table to the blocks of its cells in reading order. GFM requires a
 * header, so the first row is used. A spanning cell is repeated in each column and row: leaving it out would shift the
 * row under the wrong headers, which is dangerous in a table of doses. Captions and content between rows come first, as
 * in browsers.
 */
export function formatTable(
  table: Element,
  blocks: (part: Element) => string[],
  line: (cell: Element) => string,
): string[] {
  const { rows, others } = splitRows(table);
  const grid = expandSpans(rows.map(findCells)).filter(row => row.length > 0);
  const width = grid.reduce((widest, row) => Math.max(widest, row.length), 0);
  if (width < 2 || width > maxColumns || grid.flat().some(isLayout)) return blocks({ ...table, tag: 'div' });
  const [header = [], ...body] = grid.map(row =>
    Array.from(row, cell => (cell ? line(cell).replace(/\|/g, '\\|') : '')),
  );
  const written = [[...header, ...Array(width - header.length).fill('')], Array(width).fill('---'), ...body];
  return [
    ...blocks({ ...table, tag: 'div', children: others }),
    written.map(row => `| ${row.join(' | ')} |`).join('\n'),
  ];
}

function splitRows({ children }: Element): { rows: Element[]; others: Node[] } {
  const sections = /^t(?:head|body)$/;
  const flat = children.flatMap(child =>
    typeof child !== 'string' && sections.test(child.tag) ? child.children : [child],
  );
  const isRow = (child: Node): child is Element => typeof child !== 'string' && child.tag === 'tr';
  return { rows: flat.filter(isRow), others: flat.filter(child => !isRow(child)) };
}

function findCells({ children }: Element): Element[] {
  return children
    .filter(child => typeof child !== 'string' || child.trim() !== '')
    .map(child => (typeof child === 'string' ? { tag: 'td', holdsBlocks: false, children: [child] } : child));
}

function isLayout({ children }: Element): boolean {
  return children.some(child => {
    if (typeof child === 'string') return false;
    return child.tag === 'p' ? isLayout(child) : child.holdsBlocks || blockTags.has(child.tag);
  });
}

function expandSpans(rows: Element[][]): Element[][] {
  const grid: Element[][] = rows.map(() => []);
  for (const [top, cells] of rows.entries()) {
    let column = 0;
    for (const cell of cells) {
      while (grid[top]?.[column]) column += 1;
      if (column > maxColumns) break;
      for (const row of grid.slice(top, top + (cell.rows ?? 1))) {
        for (let step = 0; step < (cell.columns ?? 1); step += 1) row[column + step] = cell;
      }
    }
  }
  return grid;
}
