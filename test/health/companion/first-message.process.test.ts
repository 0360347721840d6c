import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { classifyInTurns, classifyMessage } from 'triage/signs/classify-message';

const messages = {
  en: 'I have had a headache since yesterday',
  de: 'ich habe seit gestern Kopfschmerzen und weiß nicht weiter',
  hi: 'मेरे सिर में कल से दर्द है',
  ar: 'عندي صداع منذ أمس',
  zh: '我从昨天开始头痛',
};

// Tables of 700 ms, and of some 50 ms for each language, compiled in slices of 3 ms: a single one would leave three turns.
test('the first message of each language lets others run', async () => {
  const program = fileURLToPath(new URL('./first-message-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...Object.entries(messages).flat()]);
  const few = Object.entries(JSON.parse(stdout) as Record<string, number>).filter(
    ([language, turns]) => turns <= (language === 'en' ? 20 : 4),
  );
  expect(few).toEqual([]);
});

test('messages at the same time share the tables that they wait for', async () => {
  const all = Object.values(messages);
  expect(await Promise.all(all.map(message => classifyInTurns(message)))).toEqual(all.map(classifyMessage));
});
