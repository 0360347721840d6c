import { describe, expect, test } from '@jest/globals';
import { demoCredentials } from '../../seeds/health/people.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';
import { testSecret } from '../harness/secret.ts';

// When the demo data of the test database was seeded.
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:00:00Z',
  settings: { RATE_LIMIT_FACTOR: '100000' },
});
const people = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));
/** What neither a page nor a spreadsheet may run. */
const hostile = '=<script>alert("1")</script>';

interface Day {
  date: string;
  vitals: { averageBloodGlucose: number | null };
  symptoms: { reportCount: number };
  assessments: { totalCount: number; byUrgency: Record<string, number> };
}

async function person(name: keyof typeof people) {
  const { email, password } = people[name];
  const browser = new Browser(gateway);
  expect((await browser.signInToHealth(email, password)).status).toBe(303);
  const { json } = await send(gateway, 'POST', '/auth/login/', people[name]);
  const access: string = json.access;
  const graph = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${access}` };
    const answer = await gateway.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    expect(answer.json.errors).toBeUndefined();
    return answer.json.data.healthViewer;
  };
  return { browser, access, graph };
}

const amira = await person('amira');
const benedikt = await person('benedikt');

const goal = await send(
  gateway,
  'POST',
  '/health/goals/',
  { goal_type: 'custom', target_value: 5, description: hostile, unit: '' },
  benedikt.access,
);
const symptom = await send(
  gateway,
  'POST',
  '/health/symptoms/',
  { symptom_name: hostile, severity: 4 },
  benedikt.access,
);
const reading = await send(gateway, 'POST', '/health/vitals/', { heart_rate: 190 }, benedikt.access);
expect([goal, symptom, reading].map(({ status, text }) => [status, text])).toEqual(
  [goal, symptom, reading].map(({ text }) => [201, text]),
);

/** The query that a page shows. */
function queryOf(page: string): string {
  const [, escaped = ''] = /<pre>([^<]*)<\/pre>/.exec(page) ?? [];
  return escaped.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const csvRows = async (path: string): Promise<string[][]> => {
  const { status, text, headers } = await amira.browser.open(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  return text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map(line => line.split(','));
};

describe.each(['/health', '/health/goals', '/health/vitals', '/health/symptoms', '/health/assessments'])('%s', path => {
  test('runs no script and no text of the person', async () => {
    const { status, text, headers } = await benedikt.browser.open(path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|<style/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
  });

  test('has charts with a name and a description, and tables with headings', async () => {
    const { text } = await amira.browser.open(path);
    const charts = [...text.matchAll(/<svg[^>]*role="img" aria-labelledby="([\w-]+) ([\w-]+)">/g)];
    expect(charts.length).toBeGreaterThan(path === '/health' ? -1 : 0);
    for (const [, title, description] of charts) {
      expect(text).toContain(`<title id="${title}">`);
      expect(text).toContain(`<desc id="${description}">`);
    }
    expect(text.match(/<caption>/g)?.length).toBeGreaterThanOrEqual(Math.max(1, charts.length));
    expect(text.match(/<h1/g)).toHaveLength(1);
  });

  test('opens its query in the explorer, which answers it', async () => {
    const { text } = await amira.browser.open(path);
    const query = queryOf(text);
    expect(text).toContain(`href="/graphiql#query=${encodeURIComponent(query).replaceAll("'", '&#39;')}"`);
    expect(await amira.graph(query)).not.toBeNull();
  });

  test('shows the data of the person who is signed in alone', async () => {
    const [own, other] = [await amira.browser.open(path), await benedikt.browser.open(path)];
    expect(own.text).not.toContain('alert(');
    expect(own.text === other.text).toBe(false);
    expect((await new Browser(gateway).open(path)).status).toBe(401);
  });

  test('has no table of an unknown name', async () => {
    expect((await amira.browser.open(`${path}?format=csv&table=nothing`)).status).toBe(404);
  });
});

describe.each([7, 30, 90])('over %i days', days => {
  test('vital signs are the daily means of the graph, beside the typical range', async () => {
    const { dailySummaries } = await amira.graph(
      `{ healthViewer { dailySummaries(days: ${days}) { date vitals { averageBloodGlucose stepCount } } } }`,
    );
    const withGlucose = dailySummaries.filter((one: Day) => one.vitals.averageBloodGlucose !== null);
    expect(withGlucose.length).toBeGreaterThan(0);
    const rows = await csvRows(`/health/vitals?days=${days}&format=csv&table=blood-glucose`);
    expect(rows.map(([date, mean]) => [date, Number(mean)])).toEqual(
      withGlucose.map((one: Day) => [one.date, one.vitals.averageBloodGlucose]),
    );
    for (const [, mean, place] of rows)
      expect(place).toBe(Number(mean) > 99 ? 'above' : Number(mean) < 70 ? 'below' : 'within');
    const { text } = await amira.browser.open(`/health/vitals?days=${days}`);
    expect(text).toContain(`<a href="?days=${days}" aria-current="page">`);
    expect(text).toContain('typical for adults');
    expect(text).toContain('class="band"');
  });

  test('symptoms and assessments are those of the graph', async () => {
    const { dailySummaries } = await amira.graph(
      `{ healthViewer { dailySummaries(days: ${days}) { date symptoms { reportCount } assessments { byUrgency { lowCount mediumCount highCount } totalCount } } } }`,
    );
    const symptoms = await csvRows(`/health/symptoms?days=${days}&format=csv&table=severity`);
    expect(symptoms.map(([date, count]) => [date, Number(count)])).toEqual(
      dailySummaries
        .filter((one: Day) => one.symptoms.reportCount > 0)
        .map((one: Day) => [one.date, one.symptoms.reportCount]),
    );
    const urgency = await csvRows(`/health/assessments?days=${days}&format=csv&table=urgency`);
    expect(urgency.map(([date, ...counts]) => [date, ...counts.slice(0, 3).map(Number)])).toEqual(
      dailySummaries
        .filter((one: Day) => one.assessments.totalCount > 0)
        .map((one: Day) => [one.date, ...Object.values(one.assessments.byUrgency)]),
    );
  });
});

test('a day is one of the time zone of the profile', async () => {
  const dario = await person('dario');
  await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'Pacific/Auckland' }, dario.access);
  await send(gateway, 'POST', '/health/vitals/', { heart_rate: 61, measured_at: '2026-09-29T12:30:00Z' }, dario.access);
  const { dailySummaries } = await dario.graph(
    '{ healthViewer { dailySummaries(days: 7) { date vitals { averageHeartRate } } } }',
  );
  expect(dailySummaries).toContainEqual({ date: '2026-09-30', vitals: { averageHeartRate: 61 } });
});

test('goals have the progress of the graph', async () => {
  const { goals } = await amira.graph('{ healthViewer { goals(first: 50) { nodes { progressPercent } } } }');
  const { text } = await amira.browser.open('/health/goals?format=csv');
  const shares = [...text.matchAll(/,(?:yes|no),([\d.]*),/g)].map(([, share = '']) => share);
  expect(shares).toEqual(
    goals.nodes.map(({ progressPercent: done }: { progressPercent: number | null }) =>
      done === null ? '' : String(done / 100),
    ),
  );
});

test('values outside the typical range are named in words', async () => {
  const { text } = await benedikt.browser.open('/health/vitals?format=csv&table=heart-rate');
  expect(text).toMatch(/2026-10-01,[\d.]+,above/);
});

test('a spreadsheet runs no text of the person', async () => {
  for (const path of ['/health/goals?format=csv', '/health/symptoms?format=csv&table=symptoms']) {
    const { text } = await benedikt.browser.open(path);
    expect(text).toContain(`"'=<script>alert(""1"")</script>"`);
  }
});

test.each(['days=0', 'days=91', 'days=x'])('%s is no period, so that 30 days are shown', async query => {
  const { status, text } = await amira.browser.open(`/health/vitals?${query}`);
  expect([status, text.includes('<a href="?days=30" aria-current="page">')]).toEqual([200, true]);
  expect(queryOf(text)).toContain('$days: Int! = 30');
});

test.each([0, 91])('the graph refuses %i days', async days => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${amira.access}` };
  const query = `{ healthViewer { dailySummaries(days: ${days}) { date } } }`;
  const { json } = await gateway.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect(json.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'days' } });
});
