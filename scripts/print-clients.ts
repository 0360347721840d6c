import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { ClientRow } from '../test/harness/client-gateway.ts';

/**
 * Runs the tests of clients and prints the table of `docs/clients.md`: client, version, number of requests, and how many of its tests
 * pass. A client that is not installed on this machine keeps its row.
 */
const root = join(import.meta.dirname, '..');
const document = join(root, 'docs', 'clients.md');
const head = '| client | version | calls | result | tried by |\n|---|---|---|---|---|\n';

interface TestReport {
  testResults: { name: string; assertionResults: { status: string }[] }[];
}

const folder = mkdtempSync(join(tmpdir(), 'portico-clients-'));
const reportFile = join(folder, 'report');
const files = ['test/clients/', ...['', 'commits/', 'contents/'].map(area => `test/hosting/${area}octokit.test.ts`)];
spawnSync('npm', ['test', '--', '-w', '1', '--json', `--outputFile=${reportFile}`, ...files], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
  // biome-ignore lint/style/noProcessEnv: the tests run in the environment of the command.
  env: { ...process.env, PRINT_CLIENTS: folder },
});
const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'));
const rows = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .flatMap((name): ClientRow[] => JSON.parse(readFileSync(join(folder, name), 'utf8')));
rmSync(folder, { recursive: true, force: true });

function resultOf(file: string): string {
  const tests = report.testResults.find(({ name }) => relative(root, name) === file)?.assertionResults ?? [];
  const run = tests.filter(({ status }) => status === 'passed' || status === 'failed');
  return `${run.filter(({ status }) => status === 'passed').length} of ${run.length} tests pass`;
}

const text = readFileSync(document, 'utf8');
const start = text.indexOf(head) + head.length;
const end = text.indexOf('\n\n', start - 1) + 1;
const keyOf = (line: string): string => `${line.split(' | ')[0]} ${line.split(' | ').at(-1)}`;
const lines = new Map(
  text
    .slice(start, end)
    .split('\n')
    .filter(line => line !== '')
    .map(line => [keyOf(line), line]),
);
for (const { client, version, calls, file } of rows) {
  const line = `| ${client} | ${version} | ${calls} | ${resultOf(file)} | \`${file}\` |`;
  lines.set(keyOf(line), line);
}
const sorted = [...lines.values()].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
writeFileSync(document, `${text.slice(0, start)}${sorted.join('\n')}\n${text.slice(end)}`);
