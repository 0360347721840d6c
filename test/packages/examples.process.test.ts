import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { validate } from 'graphql';

const root = join(import.meta.dirname, '..', '..');
const workspace = join(root, 'packages', 'operation-rest');
const run = promisify(execFile);
// biome-ignore lint/style/noProcessEnv: the environment of child processes.
const environment = process.env;

/** Without a registry the examples cannot be installed, and are counted as skipped. */
const hasRegistry = ((): boolean => {
  try {
    execFileSync('npm', ['view', 'graphql', 'version', '--fetch-retries=0'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
let packed: string[] = [];
const children: ChildProcess[] = [];

/** Starts an example and resolves to the address that it prints. */
async function start(name: string, env: Record<string, string> = {}): Promise<string> {
  // One process, which `tsx` as a command would not be.
  return startProgram(['--import', 'tsx', join(name, 'server.ts')], folder, env);
}

async function startProgram(args: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...environment, NODE_OPTIONS: '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface(child.stdout)) if (line.startsWith('http://')) return line;
  throw new Error(`${args.join(' ')} ended with ${child.exitCode}.`);
}

async function ask(url: string, init?: RequestInit): Promise<[number, unknown]> {
  const answer = await fetch(url, init);
  return [answer.status, await answer.json()];
}

(hasRegistry ? describe : describe.skip)('the packed package, installed in an empty folder', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'operation-rest-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: workspace });
    const described = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
    const [{ filename, files }] = (Array.isArray(described) ? described : Object.values(described)) as [
      { filename: string; files: { path: string }[] },
    ];
    packed = files.map(({ path }) => path);
    cpSync(join(workspace, 'examples'), folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    manifest.dependencies['operation-rest'] = `file:./${filename}`;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
  }, 300_000);

  afterAll(async () => {
    for (const child of children) {
      const gone = new Promise(resolve => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('has JavaScript, types, the directives and its papers, and no source', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'dist/operation-rest.js',
        'SPECIFICATION.md',
        'dist/vocabulary.graphql',
      ]),
    );
    expect(packed.filter(path => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  });

  test('has types with which the examples compile', async () => {
    const { stdout } = await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    // Types of other packages are not of this test.
    const ours = (line: string): boolean => /operation-rest\/dist\/|^[^ ]*server\.ts/.test(line);
    expect(stdout.split('\n').filter(ours)).toEqual([]);
  });

  test('serves what its README shows, as it is shown there', async () => {
    const readme = readFileSync(join(workspace, 'README.md'), 'utf8');
    const block = (language: string): string =>
      new RegExp(`\\n\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(readme)?.[1] ?? '';
    const shown = join(folder, 'shown');
    mkdirSync(join(shown, 'operations'), { recursive: true });
    writeFileSync(join(shown, 'operations', 'list-books.graphql'), block('graphql'));
    // On a free port, whose address is printed.
    const server = block('js').replace(
      '.listen(4000)',
      ".listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); })",
    );
    writeFileSync(join(shown, 'server.mjs'), server);
    const url = await startProgram(['server.mjs'], shown);
    const calls = [...readme.matchAll(/^curl '[^']*4000(\S*)'\n# (.*)$/gm)];
    expect(calls.length).toBe(2);
    for (const [, path, answer] of calls) expect(await (await fetch(`${url}${path}`)).text()).toBe(answer);
  });

  test('has a suite for adapters of others, which runs on node:test', async () => {
    cpSync(join(import.meta.dirname, 'adapter-of-others.mjs'), join(folder, 'adapter.test.mjs'));
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'adapter.test.mjs'], {
      cwd: folder,
      env: { ...environment, NODE_OPTIONS: '' },
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/^# pass 26$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  }, 60_000);

  test.each([
    [
      'pothos-yoga',
      'enum Genre { NOVEL SHORT_STORIES } type Book { id: Int! title: String! genre: Genre! } type Query { books(genre: Genre): [Book!]! book(id: Int!): Book }',
    ],
    [
      'fastify-remote',
      'enum Genre { NOVEL SHORT_STORIES } type Book { id: Int! title: String! genre: Genre! } type Query { books(genre: Genre): [Book!]! book(id: Int!): Book }',
    ],
    [
      'apollo-type-graphql',
      'type Note { id: Int! text: String! } type Query { notes: [Note!]! } type Mutation { addNote(text: String!): Note! }',
    ],
  ])('prints a document of %s in which Redocly finds nothing', async (name, sdl) => {
    writeFileSync(join(folder, `${name}.graphql`), sdl);
    writeFileSync(
      join(folder, `${name}.mjs`),
      `import { defineProduct } from 'operation-rest';
      const license = { name: 'MIT', identifier: 'MIT' };
      export const product = defineProduct({ name: '${name}', title: 'Example', version: '1', license, folder: '${name}/operations' });`,
    );
    const env = { ...environment, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const command = join(folder, 'node_modules', '.bin', 'operation-rest');
    const asked = ['print', '--schema', `${name}.graphql`, '--product', `${name}.mjs`];
    const { stdout: document } = await run(process.execPath, [command, ...asked], { cwd: folder, env });
    writeFileSync(join(folder, `${name}.json`), document);
    const redocly = join(root, 'node_modules', '.bin', 'redocly');
    const lint = [redocly, 'lint', '--extends=recommended', '--format=json', `${name}.json`];
    const { stdout } = await run(process.execPath, lint, { cwd: folder, env }).catch(
      (error: { stdout: string }) => error,
    );
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  test('has directives with which graphql-config reads and validates operation files', async () => {
    const yaml = /```yaml\n(.*?)\n```/s.exec(
      readFileSync(join(folder, 'node_modules/operation-rest/SPECIFICATION.md'), 'utf8'),
    )?.[1];
    const shown = join(folder, 'editor');
    mkdirSync(join(shown, 'operations'), { recursive: true });
    cpSync(join(folder, 'node_modules/operation-rest'), join(shown, 'node_modules/operation-rest'), {
      recursive: true,
    });
    writeFileSync(join(shown, '.graphqlrc.yml'), yaml ?? '');
    writeFileSync(join(shown, 'schema.graphql'), 'type Query { word: String }');
    writeFileSync(join(shown, 'operations', 'a.graphql'), 'query A @rest(method: GET, path: "/a") { word @body }');
    writeFileSync(join(shown, 'operations', 'b.graphql'), 'query B @rest(method: FETCH, path: "/b") { word @bod }');
    const { loadConfig } = await import('graphql-config');
    const project = (await loadConfig({ rootDir: shown }))?.getDefault();
    const [schema, documents] = [await project?.getSchema(), await project?.getDocuments()];
    const problems = (documents ?? []).flatMap(({ document }) =>
      schema && document ? validate(schema, document) : [],
    );
    expect(documents?.length).toBe(2);
    expect(problems.map(({ message }) => message).toSorted()).toEqual([
      'Unknown directive "@bod".',
      expect.stringContaining('Value "FETCH" does not exist in "RestMethod" enum.'),
    ]);
  });

  test('serves a Pothos schema beside Yoga, and that again from another server', async () => {
    const url = await start('pothos-yoga');
    const dubliners = { id: 2, title: 'Dubliners', genre: 'short_stories' };
    expect(await ask(`${url}/api/books?genre=short_stories`)).toEqual([200, [dubliners]]);
    expect(await ask(`${url}/api/books/2`)).toEqual([200, dubliners]);
    expect(await ask(`${url}/api/books/3`)).toMatchObject([404, { title: 'Not Found' }]);
    expect(await ask(`${url}/api/books?genre=x`)).toMatchObject([400, { errors: [{ pointer: '/genre' }] }]);
    expect(await ask(`${url}/graphql?query={books{title}}`)).toMatchObject([200, { data: { books: [{}, {}] } }]);

    const remote = await start('fastify-remote', { REMOTE_URL: `${url}/graphql` });
    expect(await ask(`${remote}/titles`)).toEqual([200, [{ name: 'Dubliners', kind: 'short_stories' }]]);
    expect(await ask(`${remote}/titles?genre=novel`)).toEqual([200, [{ name: 'Middlemarch', kind: 'novel' }]]);
    expect(await ask(`${remote}/titles/1`)).toEqual([200, { name: 'Middlemarch' }]);
    expect((await ask(`${remote}/titles/9`))[0]).toBe(404);
  });

  test('serves a type-graphql schema by Apollo Server', async () => {
    const url = await start('apollo-type-graphql');
    const note = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"Buy tea"}' };
    expect(await ask(`${url}/notes`, note)).toEqual([201, { id: 1, text: 'Buy tea' }]);
    expect(await ask(`${url}/notes`)).toEqual([200, [{ id: 1, text: 'Buy tea' }]]);
    expect((await ask(`${url}/notes`, { ...note, body: '{}' }))[0]).toBe(400);
  });
});
