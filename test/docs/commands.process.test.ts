import { execFile, execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { Program } from '../harness/program.ts';

/**
 * Runs the commands of the documentation as a newcomer would: each page in a shell of its own, in the folder of the project, against a
 * running gateway with the demo world. A comment that begins with a bracket is what a command prints, where `…` stands for any text; a
 * status before it is that of a request that is refused.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const place = mkdtempSync(join(tmpdir(), 'portico-docs-'));
const project = join(place, 'portico');
const program = new Program({});
afterAll(async () => {
  await program.remove();
  rmSync(place, { recursive: true, force: true });
});

interface Block {
  /** Why it is not run; from the comment before it. */
  reason: string | undefined;
  text: string;
}

const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()];
const commandStart = /^(?:\w+=\S* )?(?:curl|git|npm|npx|node|docker|psql|sh) /m;

/** The blocks of a page that have commands. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const found = [...text.matchAll(/(?:<!-- not run: (.+?) -->\s*)?^ *```(\w*)[^\n]*\n(.*?)^ *```/gms)];
  return found
    .filter(([, , language, content = '']) => language === 'sh' || (language === '' && commandStart.test(content)))
    .map(([, reason, , content = '']) => ({ reason, text: content }));
}

const runnable = pages.map(page => ({ page, blocks: blocksOf(page) })).filter(({ blocks }) => blocks.length > 0);

test('the pages of the first steps have commands, all of which are run', () => {
  const firstSteps = runnable.filter(({ page }) => page.startsWith('docs/first-steps/'));
  expect(firstSteps.map(({ page }) => page)).toEqual([
    'docs/first-steps/data-person.md',
    'docs/first-steps/integrator.md',
    'docs/first-steps/mobile-developer.md',
  ]);
  for (const { blocks } of firstSteps) expect(blocks.filter(({ reason }) => reason !== undefined)).toEqual([]);
});

test('a first step is one page', () => {
  for (const page of globSync('docs/first-steps/*.md', { cwd: root }))
    expect(readFileSync(join(root, page), 'utf8').split('\n').length).toBeLessThan(70);
});

let origin = '';
test('the gateway starts', async () => {
  const [, address = ''] = await program.printed(/Start page\s+(http:\S+)\/\n[\s\S]*Try:/);
  origin = address;
  mkdirSync(project);
  for (const name of ['package.json', 'node_modules', 'scripts', 'dist'])
    symlinkSync(join(root, name), join(project, name));
  symlinkSync(program.folder, join(project, '.data'));
  cpSync(join(root, 'test', 'fixtures', 'feeds', 'public-health.rss'), join(project, 'feed.xml'));
  // A git repository beside the project.
  const other = join(place, 'project');
  const git = (...args: string[]) => execFileSync('git', ['-C', other, ...args], { stdio: 'ignore' });
  mkdirSync(other);
  git('init', '-b', 'main');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '--allow-empty', '-m', 'First');
}, 120_000);

/** Shows the status of every answer on standard error. */
const shell = `curl() { command curl -sS -w '%{stderr}status %{http_code}\\n' "$@"; }\n`;

test.each(runnable)(
  'the commands of $page',
  async ({ page, blocks }) => {
    const texts = blocks.filter(({ reason }) => reason === undefined).map(({ text }) => text);
    if (texts.length === 0) return;
    const { stdout, stderr } = await run(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', shell + atGateway(texts.join('\n'))],
      {
        cwd: project,
        env: {
          // biome-ignore lint/style/noProcessEnv: where bash, git and curl are.
          PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
          HOME: place,
          GIT_TERMINAL_PROMPT: '0',
        },
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    const expected = texts.flatMap(text => [...text.matchAll(/^# (?:(\d{3}): )?([[{…].*)$/gm)]);
    const statuses = [...stderr.matchAll(/^status (\d+)$/gm)].map(found => found[1]);
    const failed = statuses.filter(status => Number(status) >= 400);
    expect({ page, stdout, failed }).toEqual({ page, stdout, failed: expected.flatMap(found => found[1] ?? []) });
    for (const [, , output = ''] of expected)
      expect({ page, stdout }).toEqual({ page, stdout: expect.stringMatching(outputOf(output)) });
  },
  180_000,
);

const atGateway = (text: string): string => text.replaceAll('127.0.0.1:4000', new URL(origin).host);

/** A pattern of an output, in which `…` is any text. */
const outputOf = (line: string): RegExp =>
  new RegExp(
    line
      .split('…')
      .map(part => escaped(atGateway(part)))
      .join('[^]*'),
  );

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
