import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { base64, newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo' });
const { wren } = (await demoOf(gateway)).users;

/** Statements that lock, write, or read rules and webhooks. */
const ofPushes = /\bfor update\b|\b(insert into|update|delete from|from ruleset|from installation) /;
/** The ref lock with the repository facts; objects, ref and growth; events. */
const each = 3;

test('a push takes three statements, and sixteen on one branch three per batch', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const write = async (name: string): Promise<void> => {
    const { status } = await world.put(`/contents/${name}`, { message: name, content: base64(name), branch: 'main' });
    expect(status).toBe(201);
  };
  const pushes = async (names: string[]): Promise<string[]> => {
    const statements = await gateway.statements(() => Promise.all(names.map(write)));
    return statements.filter(text => ofPushes.test(text));
  };
  await write('first');
  expect(await pushes(['second'])).toHaveLength(each);
  expect((await pushes(Array.from({ length: 16 }, (_, at) => `${at}`))).length).toBeLessThan(16 * each);
});
