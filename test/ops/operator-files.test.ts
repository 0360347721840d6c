import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/settings.ts';
import { registerServiceMetrics } from '../../src/server/service-metrics.ts';
import { testGateway } from '../harness/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
const ops = join(root, 'ops');
const gateway = await testGateway({
  data: 'empty',
  // Nothing listens there: the metrics of replicas exist, and nothing else depends on it.
  settings: { DATABASE_REPLICA_URLS: 'postgres://127.0.0.1:1/none' },
});
const folder = mkdtempSync(join(tmpdir(), 'portico-ops-'));
afterAll(() => rmSync(folder, { recursive: true }));

const readOps = (name: string): string => readFileSync(join(ops, name), 'utf8');

/** Runs a program on these files and expects that it accepts them. */
function accepts(program: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: join(ops, 'prometheus') });
  expect({ status, output: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, output: '' });
}

/** A test that is skipped, and counted, where its program is missing. */
const testWith = (program: string): typeof test | typeof test.skip =>
  spawnSync(program, ['--version']).error ? test.skip : test;

const haproxy = ['haproxy', '/usr/sbin/haproxy'].find(path => !spawnSync(path, ['-v']).error) ?? 'haproxy';

testWith('promtool')('Prometheus accepts its configuration and the alert rules', () => {
  accepts('promtool', 'check', 'config', '--syntax-only', 'prometheus.yml');
  accepts('promtool', 'check', 'rules', 'alerts.yml');
});

testWith('promtool')('the alerts fire when they should, and only then', () => {
  accepts('promtool', 'test', 'rules', 'alerts.test.yml');
});

test('every alert rule has a test', () => {
  const { groups } = parse(readOps('prometheus/alerts.yml')) as { groups: { rules: { alert: string }[] }[] };
  const tests = readOps('prometheus/alerts.test.yml');
  const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter(name => !tests.includes(name))).toEqual([]);
});

testWith('systemd-analyze')('systemd accepts the unit', () => {
  const unit = join(folder, 'portico.service');
  writeFileSync(unit, readOps('systemd/portico.service').replaceAll('/opt/portico', root));
  accepts('systemd-analyze', 'verify', unit);
});

testWith(haproxy)('HAProxy accepts its configuration', () => {
  accepts(haproxy, '-c', '-f', join(ops, 'haproxy', 'haproxy.cfg'));
});

test('every metric of the alerts and the dashboard is in /metrics', async () => {
  const { text } = await gateway.metrics();
  // Registered with REDIS_URL only.
  const withRedis = new Registry();
  registerServiceMetrics(withRedis, {
    read: () => Promise.resolve([]),
    overdueErasures: () => Promise.resolve(0),
    lateFeeds: () => Promise.resolve(0),
    sockets: () => ({ open: 0, unidentified: 0 }),
    areLimitsShared: () => true,
  });
  const known = new Set(
    [...`${text}\n${await withRedis.metrics()}`.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  expect(known).toContain('portico_limits_shared');
  const files = ['prometheus/alerts.yml', 'prometheus/alerts.test.yml', 'grafana/dashboard.json'];
  for (const file of files) {
    const names = new Set([...readOps(file).matchAll(/\bportico_\w+/g)].map(([name]) => name));
    expect(names.size).toBeGreaterThan(8);
    expect({ file, unknown: [...names].filter(name => !known.has(name)) }).toEqual({ file, unknown: [] });
  }
});

interface Manifest {
  apiVersion: string;
  kind: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: { template?: { spec: { terminationGracePeriodSeconds: number } } };
}

const manifests = (): Manifest[] =>
  readdirSync(join(ops, 'kubernetes')).flatMap(name =>
    parseAllDocuments(readOps(`kubernetes/${name}`)).map(one => one.toJS() as Manifest),
  );

describe('Kubernetes manifests', () => {
  const typed = manifests().map(one => {
    const module = `kubernetes-models/${one.apiVersion}/${one.kind}`;
    return { ...one, module };
  });
  /** What the compiler says of manifests as literals of the types that are made from the OpenAPI document of Kubernetes. */
  const compile = (all: readonly (Manifest & { module: string })[]): string => {
    const cache = join(root, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    const checked = mkdtempSync(join(cache, 'manifests-'));
    try {
      const lines = all.map(
        ({ module, ...manifest }, at) =>
          `import type { I${manifest.kind} as T${at} } from '${module}';\nexport const m${at}: T${at} = ${JSON.stringify(manifest)};`,
      );
      writeFileSync(join(checked, 'manifests.ts'), lines.join('\n'));
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
        '--target',
        'es2024',
      ];
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      return spawnSync(tsc, [...options, join(checked, 'manifests.ts')], { encoding: 'utf8', cwd: checked }).stdout;
    } finally {
      rmSync(checked, { recursive: true });
    }
  };

  test('have the fields and values of their schema, and no others', async () => {
    expect(compile(typed)).toBe('');
    for (const { module, ...manifest } of typed) {
      const models = (await import(module)) as Record<string, new (data: unknown) => { validate(): void }>;
      const Model = models[manifest.kind];
      if (!Model) throw new Error(`There is no model of ${manifest.kind}.`);
      new Model(manifest).validate();
    }
  });

  test('with a misspelled field or a wrong type are found', () => {
    const [deployment, service] = ['Deployment', 'Service'].map(kind => typed.find(one => one.kind === kind));
    if (!deployment || !service) throw new Error('A manifest is missing.');
    const found = compile([
      { ...deployment, spec: { ...deployment.spec, replica: 2 } as never },
      { ...service, spec: { ports: 'http' } as never },
    ]);
    expect(found).toMatch(/'"replica"' does not exist/);
    expect(found).toMatch(/'string' is not assignable/);
  });
});

test('every setting in the examples exists', () => {
  const compose = parse(readOps('compose.yaml'), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string> }>;
  };
  const unit = [...readOps('systemd/portico.service').matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
  const image = [...(/^ENV (.*)$/m.exec(readOps('Containerfile'))?.[1] ?? '').matchAll(/(\w+)=/g)].map(
    ([, name = '']) => name,
  );
  const named = [
    ...Object.keys(compose.services['gateway-1']?.environment ?? {}),
    ...manifests().flatMap(({ data, stringData }) => Object.keys({ ...data, ...stringData })),
    ...unit,
    ...image,
  ];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(name => !(name in settings))).toEqual([]);
});

test('a gateway has time to drain before Kubernetes ends it', () => {
  const all = manifests();
  expect(all.map(({ kind }) => kind).toSorted()).toEqual([
    'ConfigMap',
    'Deployment',
    'PodDisruptionBudget',
    'Secret',
    'Service',
  ]);
  const { DRAIN_DELAY_MS, DRAIN_TIMEOUT_MS } = all.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const grace = all.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.terminationGracePeriodSeconds ?? 0;
  expect(grace * 1000).toBeGreaterThan(Number(DRAIN_DELAY_MS) + Number(DRAIN_TIMEOUT_MS));
});

test('the table of ops/README.md names every file', () => {
  const text = readOps('README.md');
  const files = readdirSync(ops, { recursive: true, withFileTypes: true }).filter(
    one => one.isFile() && one.name !== 'README.md',
  );
  const paths = files.map(one => join(one.parentPath, one.name).slice(ops.length + 1));
  const isNamed = (path: string): boolean => path.startsWith('kubernetes/') || text.includes(basename(path));
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter(path => !isNamed(path))).toEqual([]);
});
