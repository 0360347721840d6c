import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { classifyMessage } from 'triage/signs/classify-message';

/** Messages with their level. `more`: realistic spelling, without subject and punctuation. */
interface SafetyMessages {
  crisis: [message: string, about: string][];
  urgent: [message: string, emergency: boolean][];
  none: string[];
  more: Record<'crisis' | 'urgent' | 'none', string[]>;
}

const { crisis, urgent, none, more } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'safety-messages.json'), 'utf8'),
) as SafetyMessages;

describe('a crisis', () => {
  test.each(crisis)('%s (%s)', (message, about) => {
    expect(classifyMessage(message)).toMatchObject({ level: 'crisis', about });
  });
});

describe('a medical red flag', () => {
  test.each(urgent)('%s (emergency: %s)', (message, emergency) => {
    expect(classifyMessage(message)).toMatchObject({ level: 'urgent', about: undefined, emergency });
    expect(classifyMessage(message).flags.length).toBeGreaterThan(0);
  });
});

describe('no crisis or red flag', () => {
  test.each(none)('%s', message => {
    expect(classifyMessage(message)).toEqual({ level: 'none', about: undefined, flags: [], emergency: false });
  });
});

describe.each(Object.entries(more))('more that is %s', (level, messages) => {
  test.each(messages)('%s', message => {
    expect(classifyMessage(message).level).toBe(level);
  });
});

test('the longest message is classified quickly, whatever its content', () => {
  for (const piece of ['I want to ', 'if when ', 'a ', 'no chest pain, ', 'i i i ', '((((', 'how to ways to ', 'ı̈ ']) {
    const message = piece.repeat(2_000).slice(0, 2_000);
    const started = performance.now();
    classifyMessage(message);
    // It takes a third of a second on a busy machine; a pattern that backtracks takes minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  }
});
