import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Answer } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import type { Person } from '../harness/people.ts';
import { bothProducts } from './both-products.ts';
import { healthCalls } from './health-calls.ts';
import { type Probe, type PropertySchema, probesOf } from './limit-probes.ts';
import { officialCalls } from './official-calls/official-calls.ts';

/** Holds both descriptions and the server equal: what is published as valid is taken, everything else is refused. */
const { gateway, health: world, hosting: official } = await bothProducts();

interface BodySchema {
  properties: Record<string, PropertySchema>;
  required?: string[];
}

interface Body {
  required?: boolean;
  content: Record<string, { schema: BodySchema & { anyOf?: BodySchema[] } }>;
}

/** A write with a JSON body, as it is published. */
interface Write {
  name: string;
  method: string;
  schema: BodySchema;
  needsBody: boolean;
  component(name: string): PropertySchema;
}

/** A request that succeeds, with its body changed. */
type Ask = (name: string, method: string, change: (body: Record<string, unknown>) => unknown) => Promise<Answer>;

/** What a request needs beside a property, so that nothing but the property is judged. */
type Beside = Record<string, Record<string, Record<string, unknown>>>;

/** The writes of a product. */
async function writesOf(product: string): Promise<Write[]> {
  const { json: document } = await gateway.request(`/openapi/${product}.json`);
  const paths = document.paths as Record<string, Record<string, { operationId: string; requestBody?: Body }>>;
  return Object.values(paths)
    .flatMap(methods => Object.entries(methods))
    .flatMap(([method, { operationId, requestBody }]) => {
      const published = requestBody?.content['application/json']?.schema;
      const schema = published?.anyOf?.find(one => one.properties) ?? published;
      if (!requestBody || !schema) return [];
      return [
        {
          name: operationId,
          method: method.toUpperCase(),
          schema,
          needsBody: requestBody.required === true,
          component: (name: string): PropertySchema => document.components.schemas[name],
        },
      ];
    });
}

const healthBeside: Beside = {
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

const askHealth: Ask = async (name, method, change) => {
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
};

/** Counts requests, for names and addresses that no other request has. */
let asked = 0;

/** What a request to make something names anew, because the same name or address is refused the second time. */
const anew: Record<string, () => Record<string, unknown>> = {
  CreateRepoForAuthenticatedUser: () => ({ name: `probe-${asked}` }),
  CreateRepoInOrg: () => ({ name: `probe-${asked}` }),
  CreateUsingTemplate: () => ({ name: `probe-${asked}` }),
  CreateOrgRuleset: () => ({ name: `probe ${asked}` }),
  CreateOrgHook: () => ({ config: { url: `https://receiver.example/${asked}` } }),
  CreateRepoHook: () => ({ config: { url: `https://receiver.example/${asked}` } }),
};

const askHosting: Ask = async (name, method, change) => {
  asked += 1;
  // An organization has 20 hooks for one event at most.
  if (name.includes('OrgHook'))
    await sql`delete from hook where organization_id is not null`.execute(gateway.database.sql);
  const [first] = [await officialCalls[name]?.(official)].flat();
  if (!first) throw new Error(`There is no call of ${name}.`);
  const body = { ...(first.body as Record<string, unknown> | undefined), ...anew[name]?.() };
  return call(gateway, method, first.path, first.authorization, change(body));
};

/** The messages about a property; undefined for none. */
const healthMessages = ({ status, json }: Answer, property: string): string | undefined =>
  status === 400 && json[property] !== undefined ? JSON.stringify(json[property]) : undefined;

/** The refusal of an input. All other properties are valid. */
const hostingMessages = ({ status, text }: Answer): string | undefined =>
  status === 400 || status === 422 ? text : undefined;

const hostingBeside: Beside = {
  UpdateRepoHook: { add_events: { events: ['push', 'fork'] } },
};

/** Properties of which one is needed, so that null is refused where it is the only one that was sent. */
const either =
  /^(AnswerPeerConnection\.status|ScopeToken\.target|CreateInvitation\.email|UpdateRepoHook\.add_events|(CreateOrg|UpdateOrg)Ruleset\.conditions)$/;

/** Texts of a form of their own, which no made text has: only their length is judged. */
const formed = /^(Create\w+Key\w*\.key|StartImport\.vcs_url)$/;

const health = {
  product: 'health',
  ask: askHealth,
  messagesOf: healthMessages,
  isMissed: (answer: Answer, property: string): boolean =>
    healthMessages(answer, property)?.includes('This field is required.') === true,
  beside: healthBeside,
};
const hosting = {
  product: 'hosting',
  ask: askHosting,
  messagesOf: hostingMessages,
  isMissed: (answer: Answer): boolean => hostingMessages(answer) !== undefined,
  beside: hostingBeside,
};

const writes = await Promise.all(
  [health, hosting].map(async source => (await writesOf(source.product)).map(write => ({ ...source, ...write }))),
);

describe.each(writes.flat())('$product $method $name', ({ name, method, schema, needsBody, component, ...source }) => {
  const { ask, messagesOf, isMissed, beside } = source;
  const properties = Object.entries(schema.properties ?? {});

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
      const place = `${name}.${property}`;
      const isOther = what === 'null' ? either.test(place) : formed.test(place) || !refusals.has(messages ?? '');
      found[what] = messages === undefined || isOther ? 'taken' : messages;
    }
    expect(found).toEqual(wanted);
  });

  test('the required properties, and no others, are needed', async () => {
    const { required = [] } = schema;
    const missed: string[] = [];
    for (const [property] of properties) {
      const answer = await ask(name, method, ({ [property]: _, ...rest }) => rest);
      if (isMissed(answer, property)) missed.push(property);
    }
    const oneOf = properties.map(([property]) => property).filter(property => either.test(`${name}.${property}`));
    expect(missed.filter(property => !oneOf.includes(property)).toSorted()).toEqual(required.toSorted());
  });

  test('a body is needed where one is published as required', async () => {
    const { status } = await ask(name, method, () => undefined);
    expect(status === 400 || status === 422).toBe(needsBody);
  });
});

test('every text, number and list of a body of the health API has its limits', () => {
  /** Whose limits are those of what was given out before, or of what is stored. */
  const given =
    /^(refresh|old_password|time_zone|email|password2|new_password2|password|chat_id|group_id|symptoms_trend|blood_type)$/;
  const open = (writes[0] ?? []).flatMap(({ name, schema }) =>
    Object.entries(schema.properties ?? {}).flatMap(([property, published]) => {
      const limits = JSON.stringify(published);
      const isText = /"(string|integer|number|array)"/.test(limits);
      const isLimited = /"(minLength|maxLength|minimum|maximum|maxItems|pattern|format|enum)"/.test(limits);
      return isText && !isLimited && !given.test(property) ? [`${name}.${property}`] : [];
    }),
  );
  expect(open).toEqual([]);
});
