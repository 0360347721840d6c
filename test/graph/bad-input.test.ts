import { expect, test } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { isHostingScope } from '../../src/auth/hosting-scopes.ts';
import { errorCodes } from '../../src/errors/codes.ts';
import { testGateway } from '../harness/gateway.ts';
import { call } from '../harness/hosting.ts';
import { makePrivateWorld } from './private-world.ts';
import { publicSchema } from './public-schema.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-10-01T08:10:00Z', settings: { SOURCE_IMPORTS: 'on' } });
const world = await makePrivateWorld(gateway);
const absent = '00000000-0000-4000-8000-000000000000';

interface Outcome {
  status: number;
  codes: string[];
  messages: string[];
  isEmpty: boolean;
}

async function ask(query: string, authorization: string | undefined): Promise<Outcome> {
  const { status, json } = await call(gateway, 'POST', '/graphql', authorization, { query });
  const errors: { message: string; extensions?: { code?: string } }[] = json?.errors ?? [];
  return {
    status,
    codes: errors.map(({ extensions }) => extensions?.code ?? 'none'),
    messages: errors.map(({ message }) => message),
    isEmpty: !/"[a-z]\w*":(?!null|\{)/.test(JSON.stringify(json?.data ?? {}).replaceAll('[null]', 'null')),
  };
}

const clientErrors = new Set(
  Object.entries(errorCodes).flatMap(([code, { status }]) =>
    status < 500 && code !== 'GRAPHQL_VALIDATION_FAILED' ? [code] : [],
  ),
);

/** Why an outcome is none of a clear error or null; undefined if it is one. */
function problemOf({ status, codes, isEmpty }: Outcome, mayBeNull: boolean): string | undefined {
  if (status >= 500) return `status ${status}`;
  const unknown = codes.find(code => !clientErrors.has(code));
  if (unknown) return `code ${unknown}`;
  if (codes.length > 0) return undefined;
  return mayBeNull && isEmpty ? undefined : 'no error';
}

let made = 0;

/** A value that fits the type. Ids are `id`; a list of ids has one. `only`: the field of a @oneOf that is given. */
function literal(type: GraphQLInputType, id: string, path: readonly string[] = [], keys?: readonly string[]): string {
  if (isNonNullType(type)) return literal(type.ofType, id, path, keys);
  if (isListType(type))
    return path.length > 0 || keys || getNamedType(type).name === 'ID'
      ? `[${literal(type.ofType, id, path, keys)}]`
      : '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const [next, ...rest] = path;
    const needed = fields.filter(one => isNonNullType(one.type) && one.defaultValue === undefined);
    const onPath = fields.filter(one => one.name === next);
    const chosen = type.isOneOf
      ? onPath.length > 0
        ? onPath
        : fields.slice(0, 1)
      : [...new Set([...needed, ...onPath])];
    const atEnd = keys && path.length === 0 ? fields.filter(one => keys.includes(one.name)) : chosen;
    return `{ ${atEnd.map(one => `${one.name}: ${literal(one.type, id, one.name === next ? rest : [], one.name === next ? keys : undefined)}`).join(', ')} }`;
  }
  const values: Record<string, string> = {
    ID: JSON.stringify(id),
    Int: '7',
    SafeInt: '7',
    Float: '7',
    Decimal: '"7"',
    Boolean: 'true',
    UUID: `"${absent}"`,
    URI: '"https://receiver.example.org/"',
    DateTime: '"2026-10-01T00:00:00Z"',
    CalendarDate: '"2026-10-01"',
    GitTimestamp: '"2026-10-01T00:00:00Z"',
    GitObjectID: `"${'0'.repeat(40)}"`,
    LongBase64: '"YQ=="',
    Base64String: '"YQ=="',
  };
  return values[getNamedType(type).name] ?? `"value-${++made}"`;
}

interface Place {
  name: string;
  root: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
  argument: GraphQLArgument;
  path: string[];
}

/** Every place of an input that `matches`, below the arguments of root fields. Each input type is entered once per path. */
function placesOf(matches: (type: GraphQLNamedType) => boolean): Place[] {
  const found: Place[] = [];
  const visit = (
    place: Omit<Place, 'path' | 'name'>,
    at: GraphQLInputField | GraphQLArgument,
    path: string[],
    above: string[],
  ): void => {
    const type = getNamedType(at.type);
    if (matches(type)) found.push({ ...place, path, name: [place.field.name, place.argument.name, ...path].join('.') });
    if (!isInputObjectType(type) || above.includes(type.name) || path.length > 3) return;
    for (const one of Object.values(type.getFields())) visit(place, one, [...path, one.name], [...above, type.name]);
  };
  for (const [root, type] of [
    ['query', publicSchema.getQueryType()],
    ['mutation', publicSchema.getMutationType()],
  ] as const)
    for (const field of Object.values(type?.getFields() ?? {}))
      for (const argument of field.args) visit({ root, field, argument }, argument, [], []);
  return found;
}

function documentOf({ root, field, argument, path }: Place, id: string, keys?: readonly string[]): string {
  const others = field.args.filter(
    one => one !== argument && isNonNullType(one.type) && one.defaultValue === undefined,
  );
  const given = [
    ...others.map(one => `${one.name}: ${literal(one.type, id)}`),
    `${argument.name}: ${literal(argument.type, id, path, keys)}`,
  ];
  const below = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  return `${root} { ${field.name}(${given.join(', ')}) ${below} }`;
}

/** A caller with rights of its own in the product of the field, and none on the rows. */
const callerOf = ({ field }: Place): string | undefined =>
  world.others[isHostingScope(String(field.extensions.access)) ? 'other user' : 'other person'];
const unknownOf = (type: string): string => {
  const known = Buffer.from(world.ids.get(type) ?? '', 'base64url')
    .toString('utf8')
    .split(':')
    .slice(1)
    .join(':');
  if (/^\d+$/.test(known)) return encodeGlobalId(type, 987_654_321);
  if (/^[0-9a-f-]{36}$/.test(known)) return encodeGlobalId(type, absent);
  return encodeGlobalId(type, known.replace(/^\d+/, '987654321'));
};
const malformed = [
  '',
  'x',
  '!!',
  'VXNlcjo',
  encodeGlobalId('User', '1.5'),
  encodeGlobalId('User', '99999999999999999999'),
  encodeGlobalId('NoSuch', 1),
  '\u0000',
  `${encodeGlobalId('User', 1)}=`,
];
const ids = placesOf(type => type.name === 'ID').filter(({ path }) => !path.includes('clientMutationId'));

test.each(ids)('a wrong id in $name', async place => {
  const problems: string[] = [];
  for (const id of malformed) {
    const query = documentOf(place, id);
    const outcome = await ask(query, callerOf(place));
    const problem = problemOf(outcome, place.field.name === 'nodes' || place.field.name === 'node');
    if (problem) problems.push(`${query}: ${problem} ${outcome.messages}`);
  }
  expect(problems).toEqual([]);
});

/** The published contract answers 403 for a chat of others and 404 for none. The ids are random UUIDs, which nobody can guess. */
const toldApart = new Set(['sendChatMessage.input.chatId PrivateChat']);

test.each(ids)('a hidden id in $name is as one that does not exist', async place => {
  const problems: string[] = [];
  const publicKinds = [
    'User',
    'Organization',
    'App',
    'Article',
    'Category',
    'ArticleComment',
    'CommunityGroup',
    'ChatGroup',
    'Person',
  ];
  const caller = callerOf(place);
  for (const [type, id] of world.ids) {
    if (publicKinds.includes(type) || toldApart.has(`${place.name} ${type}`)) continue;
    made = 0;
    const hidden = await ask(documentOf(place, id), caller);
    made = 0;
    const unknown = await ask(documentOf(place, unknownOf(type)), caller);
    const problem = problemOf(hidden, true) ?? problemOf(unknown, true);
    if (problem) problems.push(`${documentOf(place, id)}: ${problem} ${hidden.messages} ${unknown.messages}`);
    const told = (outcome: Outcome, its: string): string => JSON.stringify(outcome).replaceAll(its, 'id');
    if (told(hidden, id) !== told(unknown, unknownOf(type)))
      problems.push(`${type} ${place.name}: ${told(hidden, id)} but ${told(unknown, unknownOf(type))}`);
  }
  expect(problems).toEqual([]);
});

const choices = placesOf(type => isInputObjectType(type) && type.isOneOf === true);

test.each(choices)('none and two of the fields of $name', async place => {
  const input = place.path.reduce<GraphQLInputType>((at, name) => {
    const named = getNamedType(at);
    return isInputObjectType(named) ? (named.getFields()[name]?.type ?? at) : at;
  }, place.argument.type);
  const named = getNamedType(input);
  const names = isInputObjectType(named) ? Object.keys(named.getFields()) : [];
  for (const keys of [[], names.slice(0, 2)]) {
    const outcome = await ask(documentOf(place, 'x', keys), world.others['other user']);
    expect(outcome.status).toBe(400);
    expect(outcome.codes).toEqual(
      outcome.codes.map(() => expect.stringMatching(/^(GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)$/)),
    );
    expect(outcome.codes.length).toBeGreaterThan(0);
  }
});
