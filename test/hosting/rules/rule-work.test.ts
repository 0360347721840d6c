import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';
import { ruleset } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const limited = await testGateway({ beside: gateway, settings: { WORK_MAX_STEPS: '10000' } });
const token = (await demoOf(gateway)).users.wren.classic_token;

test('each comparison of a changed file with a rule is work of the push', async () => {
  const world = await newWorld(gateway, token);
  const root = await world.commit({ file: 'old' });
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`f${at}`, 'x']));
  const tip = await world.commit(files, { branch: 'other' });
  const move = (sha: string) =>
    call(limited, 'PATCH', `/repos/${world.owner}/${world.name}/git/refs/heads/main`, `Bearer ${token}`, {
      sha,
      force: true,
    });
  expect((await move(tip)).status).toBe(200);
  expect((await move(root)).status).toBe(200);
  const rules = [
    { type: 'file_path_restriction', parameters: { restricted_file_paths: ['secret/*'] } },
    { type: 'file_extension_restriction', parameters: { restricted_file_extensions: ['exe'] } },
    { type: 'max_file_path_length', parameters: { max_file_path_length: 200 } },
  ];
  for (let at = 0; at < 4; at++) await ruleset(gateway, world, token, { name: `r${at}`, target: 'push', rules });
  expect(await move(tip)).toMatchObject({ status: 422, json: { message: expect.stringContaining('WORK_MAX_STEPS') } });
});
