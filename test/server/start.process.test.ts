import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
/** A copy of the project without the build, so that the build of the other tests stays as it is. */
const project = join(tmpdir(), `portico-start-${process.pid}`);

mkdirSync(project);
for (const name of [
  'schema',
  'src',
  'rest-facade',
  'packages',
  'seeds',
  'examples',
  'scripts',
  'package.json',
  'tsconfig.json',
])
  cpSync(join(root, name), join(project, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const help = (): Promise<{ stdout: string }> =>
  run(process.execPath, [join(project, 'scripts', 'portico.ts'), '--help'], { env: {}, cwd: project });
const buildsIn = (folder: string): string[] => readdirSync(folder).filter(name => name.startsWith('dist'));

test('a build that was killed is removed by the next one, which the command line runs by itself', async () => {
  // A process id that no process has: those of Linux end at 4,194,304.
  const abandoned = join(project, 'dist.4194305');
  mkdirSync(abandoned);
  writeFileSync(join(abandoned, 'half'), '');
  mkdirSync(join(project, 'dist'));
  expect((await help()).stdout).toContain('Usage: portico');
  expect(buildsIn(project)).toEqual(['dist']);
  expect(existsSync(join(project, 'dist', 'bundle', 'main.js'))).toBe(true);
  // A build on a busy machine takes longer than other tests.
}, 300_000);

test('what a start compiles is kept for the next one, within the build', async () => {
  const cache = join(project, 'dist', 'compile-cache');
  const [version] = readdirSync(cache);
  const entries = (): string[] => readdirSync(join(cache, String(version))).toSorted();
  const kept = entries();
  expect(kept.length).toBeGreaterThan(3);
  const { stderr } = await run(process.execPath, [join(project, 'scripts', 'portico.ts'), '--help'], {
    env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    cwd: project,
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(stderr).toMatch(/bundle\/portico\.js.* was accepted/);
  expect(entries()).toEqual(kept);
});

test('a start loads the bundle, and no other module than those that need a file of their own', async () => {
  const allowed = [/^dist\/bundle\//, /^scripts\/(start|build)\.ts$/, /^node_modules\/(@node-rs\/argon2|parseurl\/)/];
  const list = join(project, 'loaded');
  const hook = `
    import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });`;
  writeFileSync(join(project, 'hook.mjs'), hook);
  // PORT=-1 is refused after every static import and before anything is started.
  const args = ['--import', join(project, 'hook.mjs'), join(project, 'scripts', 'start.ts')];
  await expect(run(process.execPath, args, { env: { PORT: '-1' }, cwd: project })).rejects.toThrow('PORT');
  const loaded = readFileSync(list, 'utf8')
    .split('\n')
    .filter(url => url.startsWith('file:'))
    .map(url => decodeURIComponent(new URL(url).pathname))
    .map(path => path.replace(`${project}/`, '').replace(`${root}/`, ''));
  expect(loaded.filter(path => !allowed.some(one => one.test(path)))).toEqual([]);
  expect(loaded.filter(path => path.startsWith('dist/')).length).toBeLessThan(30);
  // What the first request does not need is not among them; in the bundle it would be a chunk.
  const bundled = loaded
    .filter(path => path.startsWith('dist/'))
    .map(path => readFileSync(join(project, path), 'utf8'));
  // With another character, a source takes two bytes for each in memory.
  expect(bundled.filter(text => /[^\0-\x7f]/.test(text)).map(text => text.slice(0, 80))).toEqual([]);
  const isBundled = (name: string): boolean => bundled.some(text => text.includes(`/node_modules/${name}/`));
  expect(isBundled('express')).toBe(true);
  const later = [
    // prom-client imports the API.
    '@opentelemetry/sdk-trace',
    'sharp',
    'openai',
    'openpgp',
    'nodemailer',
    'undici',
    'piscina',
    'ioredis',
    'sanitize-html',
    'markdown-it',
  ];
  expect(later.filter(isBundled)).toEqual([]);
});
