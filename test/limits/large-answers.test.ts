import { expect, test } from '@jest/globals';
import { LargeAnswers, LargeAnswersBusyError } from '../../src/limits/large-answers.ts';

const settled = async <T>(promise: Promise<T>): Promise<'waits' | 'begun' | 'refused'> => {
  const outcome = promise.then(
    () => 'begun' as const,
    error => {
      expect(error).toBeInstanceOf(LargeAnswersBusyError);
      return 'refused' as const;
    },
  );
  return Promise.race([outcome, new Promise<'waits'>(resolve => setImmediate(resolve, 'waits'))]);
};

test('answers of one address are made one after the other, and two at a time', async () => {
  const answers = new LargeAnswers(100);
  const end = await answers.begin('a', 10);
  const next = answers.begin('a', 10);
  expect(await settled(next)).toBe('waits');
  expect(await settled(answers.begin('b', 10))).toBe('begun');
  const third = answers.begin('c', 10);
  expect(await settled(third)).toBe('waits');
  end();
  // Of two that wait, the one of the address that has made nothing yet.
  expect(await settled(third)).toBe('begun');
  (await third)();
  expect(await settled(next)).toBe('begun');
});

test('an address whose answers are not read gets no further one, also if that has waited', async () => {
  const answers = new LargeAnswers(100);
  const end = await answers.begin('a', 60);
  const waiting = answers.begin('a', 60);
  const read = answers.addUnread('a', 60);
  end();
  expect(await settled(waiting)).toBe('refused');
  expect(await settled(answers.begin('a', 60))).toBe('refused');
  expect(await settled(answers.begin('b', 60))).toBe('begun');
  read();
  expect(await settled(answers.begin('a', 60))).toBe('begun');
});

test('one answer is made whatever its size', async () => {
  expect(await settled(new LargeAnswers(100).begin('a', 1_000))).toBe('begun');
});
