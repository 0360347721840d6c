import { expect, test } from '@jest/globals';
import { actionLimits } from '../../src/limits/action-limits.ts';
import { createAccounts } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';

/** The errors in the description of the health API are those that its server answers, and its introduction has the limits that hold. */
const gateway = await testGateway({ data: 'empty' });
const { json: document } = await gateway.request('/openapi/health.json');
const [verified, guest] = await createAccounts(gateway, [{}, { is_guest: true, is_verified: false, email: null }]);

interface Case {
  name: string;
  line: string;
  status: number;
  as?: string | undefined;
  body?: string;
  headers?: Record<string, string>;
}

const cases: Case[] = [
  { name: 'no credential', line: 'get /health/goals/', status: 401 },
  { name: 'an access token that is not valid', line: 'get /health/goals/', status: 401, as: 'nonsense' },
  { name: 'a guest account', line: 'get /health/goals/', status: 403, as: guest?.access },
  { name: 'nothing of this id', line: 'get /health/goals/{id}/', status: 404, as: verified?.access },
  { name: 'not-acceptable', line: 'get /articles/', status: 406, headers: { accept: 'text/csv' } },
  { name: 'no-body', line: 'patch /health/goals/{id}/', status: 400, as: verified?.access },
  {
    name: 'malformed',
    line: 'post /health/goals/',
    status: 400,
    as: verified?.access,
    body: '\xff',
    headers: { 'content-type': 'application/json' },
  },
  {
    name: 'too-large',
    line: 'post /health/goals/',
    status: 413,
    as: verified?.access,
    body: ' '.repeat(1024 * 1024 + 1),
    headers: { 'content-type': 'application/json' },
  },
];

test.each(cases)('$status of $name is as published', async ({ name, line, status, as, body, headers = {} }) => {
  const [method = '', path = ''] = line.split(' ');
  const found = document.paths[path][method].responses[status];
  const { content } = document.components.responses[found.$ref.split('/').at(-1)];
  const answer = await gateway.request(`/api/v1${path.replace('{id}', '987654')}`, {
    method: method.toUpperCase(),
    headers: { ...headers, ...(as === undefined ? {} : { authorization: `Bearer ${as}` }) },
    ...(body === undefined ? {} : { body: Buffer.from(body, 'latin1') }),
  });
  expect(answer.status).toBe(status);
  expect(content['application/json'].examples[name]).toEqual({ value: answer.json });
});

test('the introduction explains authentication, errors, pages and limits', () => {
  const { description } = document.info;
  const headings = [...description.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(headings).toEqual(['Authentication', 'Errors', 'Pages', 'Limits']);
  const { anonymous, user, ai, message, comment, connect, register, guest: guests } = actionLimits;
  const limits = description.slice(description.indexOf('## Limits'));
  const [perMinute, perDay] = ai.limits;
  for (const text of [
    `${anonymous.limits[0]?.limit} requests in a minute without a token`,
    `${user.limits[0]?.limit} with one`,
    `${register.limits[0]?.limit} registrations and ${guests.limits[0]?.limit} guest accounts in an hour`,
    `${perMinute?.limit} messages in a minute and ${perDay?.limit} in a day`,
    `${message.limits[0]?.limit} messages in a minute can be sent`,
    `${comment.limits[0]?.limit} comments written, and ${connect.limits[0]?.limit} connections`,
  ])
    expect(limits).toContain(text);
});

test('a file is described in the form alone, where nothing is null', () => {
  const { content } = document.paths['/auth/me/'].patch.requestBody;
  const { properties } = content['multipart/form-data'].schema;
  expect(properties.profile_picture).toMatchObject({ type: 'string', format: 'binary' });
  expect(JSON.stringify(properties)).not.toContain('"null"');
  expect(content['application/json'].schema.properties.profile_picture).toMatchObject({ type: 'null' });
});
