import { describe, expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import type { Person } from '../harness/people.ts';
import { healthCalls, healthWorld } from './health-calls.ts';
import { type Probe, type PropertySchema, probesOf } from './limit-probes.ts';

/** Holds the description of the health API and the server equal: what is published as valid is taken, everything else is refused. */
const mails = await mailbox();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  workers: true,
  settings: { SMTP_URL: mails.url },
});
const world = await healthWorld(gateway, mails);
const { json: document } = await gateway.request('/openapi/health.json');

interface Body {
  required?: boolean;
  content: Record<string, { schema: { properties: Record<string, PropertySchema>; required?: string[] } }>;
}

const component = (name: string): PropertySchema => document.components.schemas[name];

const writes = Object.values(
  document.paths as Record<string, Record<string, { operationId: string; requestBody?: Body }>>,
)
  .flatMap(methods => Object.entries(methods))
  .flatMap(([method, { operationId, requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    return requestBody && schema
      ? [{ name: operationId, method: method.toUpperCase(), schema, needsBody: requestBody.required === true }]
      : [];
  });

/** What a request needs beside a property, so that nothing but the property is judged. */
const beside: Record<string, Record<string, Record<string, unknown>>> = {
  RecordVitals: { diastolic_bp: { systolic_bp: 300 } },
  CreateHealthGoal: { target_value: { goal_type: 'custom' }, unit: { goal_type: 'custom' } },
  ReplaceHealthGoal: { target_value: { goal_type: 'custom' }, unit: { goal_type: 'custom' } },
  UpdateHealthGoal: { target_value: { goal_type: 'custom' }, unit: { goal_type: 'custom' } },
};

/** A new account that others find. */
const visible = async (): Promise<Person> => {
  const one = await world.person();
  const change = { is_visible_in_community: true };
  await world.ask('PATCH', '/auth/me/', change, one.access);
  return one;
};

/** Requests that can be repeated, in place of those that take a row of the demo data. */
const calls: typeof healthCalls = {
  ...healthCalls,
  async ConnectPeer() {
    const [asker, asked] = [await visible(), await visible()];
    return { path: '/community/peers/connect/', access: asker.access, body: { receiver_id: asked.id } };
  },
  async AnswerPeerConnection() {
    const [asker, asked] = [await visible(), await visible()];
    const { id } = await world.ask('POST', '/community/peers/connect/', { receiver_id: asked.id }, asker.access);
    return { path: `/community/peers/${id}/`, access: asked.access, body: { status: 'accepted' } };
  },
};

async function ask(name: string, method: string, change: (body: Record<string, unknown>) => unknown): Promise<Answer> {
  const { path, body = {}, access } = (await calls[name]?.(world)) ?? { path: '' };
  const sent = change(body);
  return gateway.request(`/api/v1${path}`, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
}

/** The messages about a property; undefined for none. */
const messagesOf = ({ status, json }: Answer, property: string): string | undefined =>
  status === 400 && json[property] !== undefined ? JSON.stringify(json[property]) : undefined;

describe.each(writes)('$method $name', ({ name, method, schema, needsBody }) => {
  const properties = Object.entries(schema.properties);

  test.each(properties)('%s is what is published', async (property, published) => {
    const found: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    const refusals = new Set<string>();
    const valid: [Probe, string | undefined][] = [];
    for (const probe of probesOf(published, component)) {
      const answer = await ask(name, method, body => ({
        ...body,
        ...beside[name]?.[property],
        [property]: probe.value,
      }));
      const messages = messagesOf(answer, property);
      expect(answer.status).toBeLessThan(500);
      if (probe.isValid) valid.push([probe, messages]);
      else {
        wanted[probe.what] = 'refused';
        found[probe.what] = messages === undefined ? `taken: ${answer.status}` : 'refused';
        if (messages !== undefined) refusals.add(messages);
      }
    }
    // A valid value may still not be one of the caller's, and is then refused in other words than an invalid one.
    for (const [{ what }, messages] of valid) {
      wanted[what] = 'taken';
      found[what] = messages === undefined || !(what === 'null' || refusals.has(messages)) ? 'taken' : messages;
    }
    expect(found).toEqual(wanted);
  });

  test('the required properties, and no others, are needed', async () => {
    const { required = [] } = schema;
    const missed: string[] = [];
    for (const [property] of properties) {
      const answer = await ask(name, method, ({ [property]: _, ...rest }) => rest);
      if (messagesOf(answer, property)?.includes('This field is required.')) missed.push(property);
    }
    // One of `status` and `action` is needed.
    const either = name === 'AnswerPeerConnection' ? ['status'] : [];
    expect(missed.toSorted()).toEqual([...required, ...either].toSorted());
  });

  test('a body is needed where one is published as required', async () => {
    const { status } = await ask(name, method, () => undefined);
    expect(status === 400).toBe(needsBody);
  });
});

test('every text, number and list of a body has its limits', () => {
  /** Whose limits are those of what was given out before, or of what is stored. */
  const given =
    /^(refresh|old_password|time_zone|email|password2|new_password2|password|chat_id|group_id|symptoms_trend|blood_type)$/;
  const open = writes.flatMap(({ name, schema }) =>
    Object.entries(schema.properties).flatMap(([property, published]) => {
      const limits = JSON.stringify(published);
      const isText = /"(string|integer|number|array)"/.test(limits);
      const isLimited = /"(minLength|maxLength|minimum|maximum|maxItems|pattern|format|enum)"/.test(limits);
      return isText && !isLimited && !given.test(property) ? [`${name}.${property}`] : [];
    }),
  );
  expect(open).toEqual([]);
});
