import { describe, expect, jest, test } from '@jest/globals';
import { print } from 'graphql';
import type { GraphQLResult, Product } from 'operation-rest';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { defaultQueryLimits } from '../../src/limits/query-limits.ts';
import { type Contract, contracts, createTestFacade, serve } from '../contract/contracts.ts';
import { healthCalls, healthWorld } from '../contract/health-calls.ts';
import { officialCalls } from '../contract/official-calls/official-calls.ts';
import { type OfficialCall, officialWorld } from '../contract/official-calls/official-world.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { readOperationDocuments } from './operation-documents.ts';

/**
 * Operations that `/graphql` refuses for their size, by the code of the error: the limits of a request are those of callers' documents, and the
 * operations behind REST are not measured. They are compared with higher limits.
 */
const refusals: Record<string, readonly string[]> = {
  QUERY_TOO_EXPENSIVE: [
    'CompareCommits',
    'DiscoverChatGroups',
    'GetBranchProtection',
    'ListChatGroups',
    // Their rules can name reviewers, who are lists of objects.
    'ListOrgRulesets',
    'ListRepoRulesets',
    'UpdateBranchProtection',
  ],
  QUERY_TOO_MANY_ALIASES: [
    'AddCollaborator',
    'CreateFork',
    'CreateRepoForAuthenticatedUser',
    'CreateRepoInOrg',
    'CreateUsingTemplate',
    'ExportMe',
    'GetHealthDashboard',
    'GetRepo',
    'ListEventsForAuthenticatedUser',
    'ListInvitations',
    'ListInvitationsForAuthenticatedUser',
    'ListOrgEventsForAuthenticatedUser',
    'ListPublicEvents',
    'ListPublicEventsForRepoNetwork',
    'ListPublicEventsForUser',
    'ListPublicOrgEvents',
    'ListReceivedEventsForUser',
    'ListReceivedPublicEventsForUser',
    'ListRepoEvents',
    'UpdateInvitation',
    'UpdateRepo',
  ],
};
const refusalOf = (name: string): string | undefined =>
  Object.keys(refusals).find(code => refusals[code]?.includes(name));

const settings = { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' };
const now = '2026-10-01T08:10:00Z';

/** A gateway with the demo data, and what makes the requests of an operation there. */
interface World {
  gateway: TestGateway;
  basePath: string;
  callsOf(operation: string): Promise<OfficialCall[]>;
}

const openWorld: Record<string, () => Promise<World>> = {
  async health() {
    const mails = await mailbox();
    const all = { ...settings, SMTP_URL: mails.url };
    const gateway = await testGateway({ data: 'demo', now, workers: true, settings: all });
    const world = await healthWorld(gateway, mails);
    return {
      gateway,
      basePath: '/api/v1',
      async callsOf(operation) {
        const made = await healthCalls[operation]?.(world);
        if (!made) return [];
        const { access, ...one } = made;
        return [{ ...one, ...(access === undefined ? {} : { authorization: `Bearer ${access}` }) }];
      },
    };
  },
  async hosting() {
    const gateway = await testGateway({ data: 'demo', now, settings });
    const world = await officialWorld(gateway);
    return {
      gateway,
      basePath: '',
      callsOf: async operation => [(await officialCalls[operation]?.(world)) ?? []].flat(),
    };
  },
};

/** What pasted documents were answered since the object was made new. */
interface Pasted {
  errors: GraphQLResult['errors'];
  defect: unknown;
}

const nothing: Pasted = { errors: undefined, defect: undefined };

/** The product as a gateway with `settings` serves it. */
const served = (product: Product): Product =>
  product.name === 'hosting' ? hostingProduct({ servesRetired: true }) : product;

/**
 * Serves a contract by an engine that posts the text of each operation file to `/graphql` of a gateway, with the credential of the request:
 * the engine makes variables of the request, and the response of the data. Returns its origin.
 */
function serveByPasting({ product, endpoints }: Contract, gateway: TestGateway, pasted: Pasted): Promise<string> {
  const documents = readOperationDocuments(product.folder);
  const texts = new Map(documents.map(({ file, document }) => [`${product.name}/${file}`, print(document)]));
  const known = new Map(
    endpoints.map(({ operation, plan }) => [operation.name, { text: texts.get(operation.file), plan }]),
  );
  const facade = createTestFacade(served(product), {
    origin: () => gateway.url,
    clock: () => gateway.clock.now,
    context: ({ headers }) => headers,
    onDefect: error => {
      pasted.defect = error;
    },
    async execute({ operationName, query, variables, context }) {
      const { text, plan } = known.get(operationName) ?? {};
      // Where the body is one of several types, the engine adds the name of the type to the text.
      const document = { query: plan?.outcome === 'queried' ? query : text, operationName, variables };
      const { authorization } = context as { authorization?: string };
      const answer = await call(gateway, 'POST', '/graphql', authorization, document);
      if (!answer.json) throw new Error(`/graphql answers ${answer.status}: ${answer.text}`);
      pasted.errors = answer.json.errors;
      return answer.json;
    },
  });
  return serve(facade);
}

/** The answer to a request; of a JSON body one line a value, in the order of the keys. */
async function ask(origin: string, method: string, { basePath, gateway }: World, one: OfficialCall) {
  const response = await fetch(`${origin}${basePath}${one.path}`, {
    method,
    redirect: 'manual',
    headers: {
      'user-agent': 'portico tests',
      'accept-encoding': 'identity',
      ...(one.accept === undefined ? {} : { accept: one.accept }),
      ...(one.authorization === undefined ? {} : { authorization: one.authorization }),
      ...(one.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(one.body === undefined ? {} : { body: JSON.stringify(one.body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const type = response.headers.get('content-type');
  const text = /json/.test(type ?? '') && bytes !== '' ? JSON.stringify(JSON.parse(bytes), null, 1) : bytes;
  const here = (value: string): string => value.replaceAll(gateway.url, 'http://origin.test');
  // Without paths: REST links by the id of a resource, which the engine of this test cannot look up.
  const link = (response.headers.get('link') ?? '').replace(/<[^?>]*/g, '<');
  return { status: response.status, type, link, body: here(text).split('\n') };
}

/** What differs between worlds that are made alike: random values, and the numbers in names that the calls of all worlds count. */
const random: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<session token>'],
  [/host[a-z]_\w+/g, '<hosting token>'],
  [/"(token_last_eight|hashed_token)": "\w+"/g, '"$1": "<of a token>"'],
  [/AAAAC3[\w+/=]+/g, '<public key>'],
  [/\b(official-|protected-|receiver\.example\/|Official )\d+/g, '$1<number>'],
  [/"(used|remaining)": \d+/g, '"$1": "<count of requests>"'],
];
/** A signature has a random salt, so that the hash of a signed commit differs too. */
const signed: readonly [RegExp, string][] = [
  [/-----BEGIN PGP SIGNATURE-----.*-----END PGP SIGNATURE-----/g, '<signature>'],
  [/[0-9a-f]{40}/g, '<hash>'],
  [/"node_id": "Q29tbWl0[\w-]+"/g, '"node_id": "<of a hash>"'],
];

function withoutRandom<Value extends { body: string[] }>(answer: Value): Value {
  const isSigned = answer.body.some(line => line.includes('PGP SIGNATURE'));
  const patterns = isSigned ? [...random, ...signed] : random;
  const body = answer.body.map(line => patterns.reduce((text, [found, name]) => text.replace(found, name), line));
  return { ...answer, body };
}

/** Runs `work` while the gateways of this process have higher limits. */
async function withoutLimits<Result>(work: () => Promise<Result>): Promise<Result> {
  const raised = (['maxAliases', 'maxDirectives', 'maxCost'] as const).map(name =>
    jest.replaceProperty(defaultQueryLimits, name, 1_000_000),
  );
  try {
    return await work();
  } finally {
    for (const one of raised) one.restore();
  }
}

for (const contract of contracts) {
  const open = openWorld[contract.product.name];
  if (!open) throw new Error(`There is no world of ${contract.product.name}.`);
  const one = await open();
  // Writes are pasted here, after the same requests as in the first world.
  const other = await open();
  const pasted = { ...nothing };
  const pastingOne = await serveByPasting(contract, one.gateway, pasted);
  const pastingOther = await serveByPasting(contract, other.gateway, pasted);

  const cases = contract.endpoints.map(({ operation: { name, method, kind } }) => {
    // A read of the counters counts itself.
    return { name, method, isRead: kind === 'query' && name !== 'GetRateLimit', refusal: refusalOf(name) };
  });
  // Writes first: what reads need is made in one world alone.
  const sorted = cases.toSorted((a, b) => Number(a.isRead) - Number(b.isRead));

  describe(`${contract.product.name}: the operation pasted into /graphql has the data of REST`, () => {
    test.each(sorted)('$name', async ({ name, method, isRead, refusal }) => {
      const calls = await one.callsOf(name);
      expect(calls).not.toEqual([]);
      const same = isRead ? calls : await other.callsOf(name);
      const [world, origin] = isRead ? [one, pastingOne] : [other, pastingOther];
      for (const [index, made] of calls.entries()) {
        const rest = await ask(one.gateway.url, method, one, made);
        expect(rest.status).toBeLessThan(400);
        Object.assign(pasted, nothing);
        let answer = await ask(origin, method, world, same[index] ?? made);
        if (refusal !== undefined) {
          expect(pasted.errors?.map(({ extensions }) => extensions?.code)).toEqual([refusal]);
          Object.assign(pasted, nothing);
          answer = await withoutLimits(() => ask(origin, method, world, same[index] ?? made));
        }
        expect(pasted).toEqual(nothing);
        if (isRead) expect(answer).toEqual(rest);
        else expect(withoutRandom(answer)).toEqual(withoutRandom(rest));
      }
    });
  });
}

test('operations that are refused are operations of a contract', () => {
  const names = contracts.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation.name));
  expect(names).toEqual(expect.arrayContaining(Object.values(refusals).flat()));
});
