import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testDatabase } from '../harness/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
const DATABASE_URL = await testDatabase('empty');
const project = mkdtempSync(join(tmpdir(), 'portico-production-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
for (const file of listed.split('\0').filter(name => name !== '' && existsSync(join(root, name)))) {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  cpSync(join(root, file), join(project, file));
}
const copyBuild = (): void => cpSync(join(root, 'dist'), join(project, 'dist'), { recursive: true });

const portico = (): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(project, 'scripts', 'portico.ts'), '--help'], {
    cwd: project,
    env: {},
    encoding: 'utf8',
  });

describe('without the compiler', () => {
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== 'esbuild') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  const remedy = 'run `npm ci && npm run build && npm prune --omit=dev`.\n';

  test('a command without a build says what to do, and builds nothing', () => {
    const { status, stdout, stderr } = portico();
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^dist\/ is missing or incomplete, /);
    expect(stderr.endsWith(remedy)).toBe(true);
    expect(existsSync(join(project, 'dist'))).toBe(false);
  });

  test('a build that was copied is used', () => {
    copyBuild();
    expect(portico()).toMatchObject({ status: 0, stderr: '' });
  });

  test('a build of other sources is refused', () => {
    const changed = join(project, 'src', 'main.ts');
    appendFileSync(changed, '\n');
    const { status, stderr } = portico();
    cpSync(join(root, 'src', 'main.ts'), changed);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^dist\/ was built from other sources, /);
    expect(stderr.endsWith(remedy)).toBe(true);
  });

  test('an image needs no sources beside the build', () => {
    const sources = join(project, 'src');
    rmSync(sources, { recursive: true });
    const { status, stderr } = portico();
    cpSync(join(root, 'src'), sources, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

/** The Node.js of the system, if it is older than the code needs. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find(path => {
  const { error, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return !error && Number.parseInt(stdout.slice(1), 10) < 24;
});

(oldNode ? test : test.skip)('an older Node.js is refused in one sentence', () => {
  for (const program of ['dist/bundle/main.js', 'dist/src/main.js']) {
    const { status, stderr } = spawnSync(oldNode ?? '', [join(root, program)], { encoding: 'utf8', env: {} });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Portico needs Node\.js 24 or later, not v\d+\.\d+\.\d+: [^\n]*\n$/);
  }
});

const hasRegistry = spawnSync('npm', ['ping', '--fetch-retries=0'], { cwd: root, timeout: 10_000 }).status === 0;

(hasRegistry ? test : test.skip)(
  'a gateway starts from `npm ci --omit=dev` and a build that was made elsewhere',
  async () => {
    const modules = join(project, 'node_modules');
    if (existsSync(modules)) for (const name of readdirSync(modules)) unlinkSync(join(modules, name));
    // biome-ignore lint/style/noProcessEnv: npm needs the path and the home of this process.
    const { PATH = '', HOME = '' } = process.env;
    const install = spawnSync('npm', ['ci', '--omit=dev', '--prefer-offline'], {
      cwd: project,
      env: { PATH, HOME },
      encoding: 'utf8',
    });
    expect({ status: install.status, errors: install.status === 0 ? '' : install.stderr }).toEqual({
      status: 0,
      errors: '',
    });
    expect(existsSync(join(modules, 'esbuild'))).toBe(false);
    copyBuild();
    const child = spawn('npm', ['start'], {
      cwd: project,
      env: { PATH, HOME, PORT: '0', SEED: 'none', PORTICO_DATA: project, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += chunk;
        if (output.includes('Portico is up')) child.kill('SIGTERM');
      });
    }
    const [status] = await ended;
    expect(output).toContain('Portico is up');
    expect(output).not.toContain('Building');
    expect(status).toBe(0);
  },
  300_000,
);

/** The last stage of ops/Containerfile: what it copies from the build, and how it starts. */
function imageOfContainerfile() {
  const [, stage = ''] = /\nFROM [^\n]*\n(?![\s\S]*\nFROM )([\s\S]*)$/.exec(
    readFileSync(join(root, 'ops', 'Containerfile'), 'utf8'),
  ) ?? [''];
  const line = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(stage)?.[1] ?? '';
  const copied = [...stage.matchAll(/^COPY --from=build (\S+)/gm)].map(([, path = '']) => path);
  const words = (name: string): string[] => JSON.parse(line(name)) as string[];
  const settings = line('ENV')
    .split(' ')
    .map(pair => pair.split('=') as [string, string]);
  const [uid = '', gid = ''] = line('USER').split(':');
  return { copied, workdir: line('WORKDIR'), settings, uid, gid, command: [...words('ENTRYPOINT'), ...words('CMD')] };
}

/** The image names its port, so that the gateway cannot be asked for the one that it has taken. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const hasSandbox = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', '--dev', '/dev', 'true']).status === 0;

// The base image cannot be had here: Debian's /usr of this machine takes its place.
(hasRegistry && hasSandbox ? test : test.skip)(
  'what ops/Containerfile copies runs as its user on a read-only root, and is ready',
  async () => {
    const { copied, workdir, settings, uid, gid, command } = imageOfContainerfile();
    expect(copied.length).toBeGreaterThan(4);
    const data = mkdtempSync(join(tmpdir(), 'portico-image-'));
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const inImage = (path: string): string[] => ['--ro-bind', path.replace(workdir, project), path];
    const sandbox = [
      ...[
        '--die-with-parent',
        '--new-session',
        '--unshare-user',
        '--unshare-pid',
        '--unshare-ipc',
        '--cap-drop',
        'ALL',
      ],
      ...['--uid', uid, '--gid', gid, '--clearenv', '--ro-bind', '/usr', '/usr'],
      ...['bin', 'lib', 'lib64', 'sbin'].flatMap(name => ['--symlink', `usr/${name}`, `/${name}`]),
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', data, '/var/lib/portico'],
      ...copied.flatMap(inImage),
      ...['--chdir', workdir, '--remount-ro', '/'],
      ...[...settings, ['PORT', String(port)], ['PATH', '/usr/bin:/bin']].flatMap(([name = '', value = '']) => [
        '--setenv',
        name,
        value,
      ]),
      ...['--setenv', 'DATABASE_URL', DATABASE_URL, '--setenv', 'SEED', 'none'],
      ...['--setenv', 'BASE_URL', base],
    ];
    try {
      const probe =
        'id -u; for path in / /opt/portico /opt/portico/dist /usr; do touch $path/x && echo written; done; true';
      const { stdout } = spawnSync('bwrap', [...sandbox, '/bin/sh', '-c', probe], { encoding: 'utf8' });
      expect(stdout).toBe(`${uid}\n`);
      const child = spawn('bwrap', [...sandbox, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const ended = once(child, 'close');
      const isUp = new Promise<void>(resolve => {
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', chunk => {
            output += chunk;
            if (output.includes('Portico is up')) resolve();
          });
      });
      await Promise.race([isUp, ended]);
      expect(output).toContain('Portico is up');
      const ready = await fetch(`${base}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
      child.kill('SIGTERM');
      await ended;
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
  120_000,
);
