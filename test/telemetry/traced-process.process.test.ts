import { afterEach, expect, test } from '@jest/globals';
import { testDatabase } from '../harness/gateway.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';
import { otlpReceiver } from './otlp-receiver.ts';

const databaseUrl = await testDatabase('empty');
const collector = await otlpReceiver();
const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map(program => program.remove()));
});

/** A gateway as operators start it. Returns it and its address. */
async function start(settings: Record<string, string>): Promise<{ program: Program; url: string }> {
  const program = new Program({
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecret,
    SEED: 'none',
    ...settings,
  });
  programs.push(program);
  const [, url = ''] = await program.printed(/Start page +(http\S+?)\/\n/);
  return { program, url };
}

test('the standard variables set up the exporter, and the end of the process sends what waits', async () => {
  const { program, url } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'gateway-of-this-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=testing',
  });
  await fetch(`${url}/api/v1/articles/`);
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(collector.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer collector-token',
    'content-encoding': 'gzip',
  });
  expect(collector.spans.find(one => one.name === 'GET /api/v1/articles/')?.resource).toMatchObject({
    'service.name': 'gateway-of-this-test',
    'deployment.environment.name': 'testing',
  });
  expect(program.output).not.toContain('collector-token');
});

test('a receiver that does not answer does not keep the process', async () => {
  collector.answer.delayMs = 60_000;
  const { program, url } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, DRAIN_TIMEOUT_MS: '500' });
  expect((await fetch(`${url}/api/v1/articles/`)).status).toBe(200);
  const startedAt = performance.now();
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('without an exporter neither the SDK nor what calls it is loaded', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (/@opentelemetry|open-telemetry|open-exporter/.test(url)) process.stdout.write('loaded ' + url + '\\n');
      return next(url, context);
    } });`)}`;
  const settings = { NODE_OPTIONS: `--import ${hook}` };
  const loaded = async (more: Record<string, string>): Promise<string[]> => {
    const { program, url } = await start({ ...settings, ...more });
    await fetch(`${url}/api/v1/articles/`);
    await fetch(`${url}/graphql?query={articleCategories{slug}}`);
    program.signal('SIGTERM');
    await program.ended();
    return program.output.split('\n').filter(line => line.startsWith('loaded '));
  };
  expect(await loaded({})).toEqual([]);
  expect((await loaded({ OTEL_TRACES_EXPORTER: 'console' })).length).toBeGreaterThan(1);
});
