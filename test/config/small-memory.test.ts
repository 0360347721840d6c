import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';

test('where memory is short there are fewer child processes and connections; a setting goes first', () => {
  const small = 384 * 1024 * 1024;
  expect(readConfig({}, 'command', small)).toMatchObject({ WORK_PROCESSES: 1, WORK_PROCESS_MB: 300, DATABASE_POOL: 9 });
  expect(readConfig({ DATABASE_POOL: '30' }, 'command', small)).toMatchObject({ DATABASE_POOL: 30 });
  expect(readConfig({}, 'command', 2 ** 31)).toMatchObject({ WORK_PROCESSES: 2, DATABASE_POOL: 24 });
});
