import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-lint-'));
  const rule = join(root, 'scripts/unheard-errors.grit');
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [rule], linter: { rules: { preset: 'none' } } }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isRefused(statement: string): boolean {
  writeFileSync(join(folder, 'sample.ts'), `${statement}\n`);
  const { stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', 'sample.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stderr.includes('nobody listens to');
}

test.each([
  "const child = spawn('git', ['--version']);",
  "const child = execFile('git', ['--version'], () => {});",
  "const child = fork('./program.ts');",
  'const thread = new Worker(program);',
  'const server = createServer(options, handle);',
  'const client = new pg.Client({ connectionString });',
  'const pool = new pg.Pool({ connectionString });',
  'const redis = new Redis(url, { maxRetriesPerRequest: 0 });',
  'const socket = new Socket();',
  'const sockets = new WebSocketServer({ noServer: true });',
])('an emitter whose first error may come before its listener is refused: %s', statement => {
  expect(isRefused(statement)).toBe(true);
});

test.each([
  'const client = heard(new pg.Client({ connectionString }));',
  'const server = heard(createServer(options, handle), error => warn(error));',
  "const child = startProcess('git', ['--version'], {});",
  'const found = /x/.exec(text);',
])('one that is heard from its first moment is allowed: %s', statement => {
  expect(isRefused(statement)).toBe(false);
});
