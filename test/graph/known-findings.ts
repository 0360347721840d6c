import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { baseline } from './baseline.ts';

const path = join(import.meta.dirname, 'baseline.ts');

/**
 * Fails if something is found that the list `name` of `baseline.ts` does not have, or if the list has something that is not found
 * any more. With `-u` such entries are deleted.
 */
export function expectKnown(name: keyof typeof baseline, found: string[]): void {
  const list: string[] = baseline[name];
  const known = isUpdate() ? list.filter(entry => found.includes(entry)) : list;
  if (known.length < list.length) {
    Object.assign(baseline, { [name]: known });
    writeFileSync(path, printBaseline());
  }
  expect({
    'fix these': found.filter(entry => !known.includes(entry)),
    'delete these from test/graph/baseline.ts': known.filter(entry => !found.includes(entry)),
  }).toEqual({ 'fix these': [], 'delete these from test/graph/baseline.ts': [] });
}

function printBaseline(): string {
  const lists = Object.entries(baseline).map(([name, entries]) => {
    const lines = entries.map(entry => `    '${entry.replaceAll("'", "\\'")}',\n`).join('');
    return `  ${name}: [${lines && `\n${lines}  `}],\n`;
  });
  return `/**
 * What the tests of this folder find and accept until it is fixed. The lists only shrink: \`npm test -- -w 1 test/graph -u\`
 * deletes what is fixed.
 */
// biome-ignore format: One entry per line, so that branches merge.
export const baseline = {
${lists.join('')}} satisfies Record<string, string[]>;
`;
}

/** Whether jest runs with \`-u\`. */
function isUpdate(): boolean {
  const { snapshotState } = expect.getState() as unknown as { snapshotState: { _updateSnapshot: string } };
  return snapshotState._updateSnapshot === 'all';
}
