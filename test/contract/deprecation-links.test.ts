import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);

test.each([
  ['an operation that changes in the next version', '/repos/harbor-lab/compass/contents/'],
  ['a retired operation', '/repos/harbor-lab/compass/import'],
])('the link of the deprecation of %s leads to a page', async (_, path) => {
  const { headers } = await call(gateway, 'GET', path, `Bearer ${users.wren.classic_token}`);
  expect(headers.get('deprecation')).toMatch(/ GMT$/);
  const [, page = ''] = /<([^<>]+)>; rel="deprecation"; type="text\/html"/.exec(headers.get('link') ?? '') ?? [];
  const answer = await fetch(page);
  expect([page, answer.status, answer.headers.get('content-type')]).toEqual([
    page,
    200,
    expect.stringMatching(/^text\/html/),
  ]);
});
