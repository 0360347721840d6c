import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { hashPassword, verifyDummyPassword, verifyPassword } from '../../src/auth/passwords/hash.ts';
import { createHashQueue } from '../../src/auth/passwords/hash-queue.ts';
import { passwordProblems } from '../../src/auth/passwords/policy.ts';

const password = 'correct horse battery staple';
const accepted = { ok: true, needsRehash: false };
const refused = { ok: false, needsRehash: false };
const tooLong = 'This password is too long. It must contain at most 1024 characters.';
const tooShort = 'This password is too short. It must contain at least 8 characters.';
const tooCommon = 'This password is too common.';
const halfCharacter = 'This password contains half of a character.';

describe('A hash', () => {
  test('is argon2id with 19 MiB, two passes, one lane, a random salt of 16 bytes and a tag of 32', async () => {
    const hashes = await Promise.all([hashPassword(password), hashPassword(password)]);
    for (const made of hashes) {
      const [, name, version, costs, salt = '', tag = ''] = made.split('$');
      expect([name, version, costs]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
      expect([Buffer.from(salt, 'base64').length, Buffer.from(tag, 'base64').length]).toEqual([16, 32]);
    }
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  test('matches its password alone', async () => {
    const made = await hashPassword(password);
    expect(await verifyPassword(made, password)).toEqual(accepted);
    for (const other of ['', ` ${password}`, `${password} `, password.toUpperCase(), password.slice(0, -1)]) {
      expect(await verifyPassword(made, other)).toEqual(refused);
    }
  });

  test('covers the whole password: 1,024 characters, and the text after a NUL', async () => {
    const longest = '🐎'.repeat(1024);
    expect(await verifyPassword(await hashPassword(longest), longest)).toEqual(accepted);
    expect(await verifyPassword(await hashPassword(longest), `${'🐎'.repeat(1023)}🐴`)).toEqual(refused);
    expect(await verifyPassword(await hashPassword('before\0after'), 'before\0other')).toEqual(refused);
  });

  test('is equal for composed and decomposed letters, and differs for look-alikes', async () => {
    const made = await hashPassword('caf\u00e9 au lait');
    expect(await verifyPassword(made, 'cafe\u0301 au lait')).toEqual(accepted);
    expect(await verifyPassword(made, 'cafe au lait')).toEqual(refused);
    expect(await verifyPassword(await hashPassword('area 51²'), 'area 512')).toEqual(refused);
  });

  test('of any text matches that text and no other', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 1024 });
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const made = await hashPassword(one);
        expect(await verifyPassword(made, one)).toEqual(accepted);
        expect((await verifyPassword(made, other)).ok).toBe(one.normalize('NFC') === other.normalize('NFC'));
      }),
      { numRuns: 10 },
    );
  });

  test.each([
    ['memory', { memoryCost: 19_455 }],
    ['passes', { timeCost: 1 }],
    ['tag', { outputLen: 16 }],
    ['salt', { salt: Buffer.alloc(8, 7) }],
    ['resistance (argon2i)', { algorithm: 1 }],
    ['version (16)', { version: 0 }],
  ])('with less %s than the current parameters needs a rehash when the password matches', async (_, weaker) => {
    const today = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
    const made = await hash(password, { ...today, ...weaker });
    expect(await verifyPassword(made, password)).toEqual({ ok: true, needsRehash: true });
    expect(await verifyPassword(made, 'another password')).toEqual(refused);
  });

  test('that is stronger than the current parameters needs no rehash', async () => {
    const made = await hash(password, { memoryCost: 32_768, timeCost: 3, parallelism: 2, outputLen: 64 });
    expect(await verifyPassword(made, password)).toEqual(accepted);
  });

  test('that is malformed is a defect, not a wrong password', async () => {
    for (const stored of ['', '!', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=19456,t=2,p=1$AAAA']) {
      await expect(verifyPassword(stored, password)).rejects.toThrow();
    }
  });
});

describe('An invalid password text', () => {
  test.each([
    ['1,025 characters', 'x'.repeat(1025), tooLong],
    ['64 KB', 'x'.repeat(65_536), tooLong],
    // Its normalisation would block the event loop for half a minute.
    ['150,000 combining marks', '\u0301\u0323\u0327'.repeat(50_000), tooLong],
    ['half of a character', 'password\ud83d', halfCharacter],
  ])('is refused before hashing: %s', async (_, text, sentence) => {
    const started = performance.now();
    await expect(hashPassword(text)).rejects.toMatchObject({
      extensions: { code: 'BAD_USER_INPUT', problems: [{ path: ['password'], message: sentence }] },
    });
    expect(passwordProblems(text)).toEqual([sentence]);
    expect(await verifyDummyPassword(text)).toEqual(refused);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('matches nothing: one lone surrogate does not match another', async () => {
    const made = await hash('password\ufffd');
    expect(await verifyPassword(made, 'password\ud83d')).toEqual(refused);
  });
});

describe('The dummy hash', () => {
  test('never matches, and takes as much CPU time as a real one', async () => {
    const made = await hashPassword(password);
    // CPU time of all threads. Wall-clock time would include the other load of the machine.
    const work = async (check: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      for (let at = 0; at < 5; at++) expect(await check()).toEqual(refused);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [somebody, nobody]: [number[], number[]] = [[], []];
    for (let round = 0; round < 4; round++) {
      somebody.push(await work(() => verifyPassword(made, 'a wrong password')));
      nobody.push(await work(() => verifyDummyPassword('a wrong password')));
    }
    const ratio = Math.min(...nobody) / Math.min(...somebody);
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.33);
  });
});

describe('The hash queue', () => {
  test('runs at most `concurrency` hashes at a time, in order of arrival, and refuses when it is full', async () => {
    const queue = createHashQueue(2, 3);
    const started: number[] = [];
    const finish: (() => void)[] = [];
    const work = (name: number) => (): Promise<number> => {
      started.push(name);
      return new Promise(resolve => finish.push(() => resolve(name)));
    };
    const results = [0, 1, 2, 3, 4].map(name => queue.run(work(name)));
    await expect(queue.run(work(5))).rejects.toMatchObject({
      extensions: { code: 'SERVICE_UNAVAILABLE', http: { status: 503 }, reason: 'password_queue_full' },
    });
    expect(started).toEqual([0, 1]);
    finish[1]?.();
    expect(await results[1]).toBe(1);
    expect(started).toEqual([0, 1, 2]);
    // A completed hash makes room in the queue, and a new one does not overtake those that wait.
    results.push(queue.run(work(6)));
    await expect(queue.run(work(7))).rejects.toThrow(GraphQLError);
    for (let at = 0; at < 6; at++) {
      finish[at]?.();
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 6]);
    expect(started).toEqual([0, 1, 2, 3, 4, 6]);
  });

  test('frees the slot of work that failed', async () => {
    const queue = createHashQueue(1, 1);
    for (let at = 0; at < 3; at++) {
      const [failing, next] = [queue.run(() => Promise.reject(new Error('no hash'))), queue.run(async () => 'next')];
      await expect(failing).rejects.toThrow('no hash');
      expect(await next).toBe('next');
    }
  });

  test('refuses what exceeds the queue and completes the rest', async () => {
    const places = Math.min(availableParallelism(), 3) + 100;
    const settled = await Promise.allSettled(Array.from({ length: places + 5 }, () => verifyDummyPassword(password)));
    const refusals = settled.filter(one => one.status === 'rejected').map(one => one.reason.extensions.reason);
    expect(refusals).toEqual(Array(5).fill('password_queue_full'));
    expect(await verifyDummyPassword(password)).toEqual(refused);
  }, 60_000);

  test('leaves file access and the event loop responsive', async () => {
    const count = 40;
    let hashing = true;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const hashes = Promise.all(Array.from({ length: count }, () => verifyDummyPassword(password))).finally(() => {
      hashing = false;
    });
    const files: number[] = [];
    while (hashing) {
      const started = performance.now();
      await stat('/');
      files.push(performance.now() - started);
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    await hashes;
    delay.disable();
    // On the event loop, each hash would block one turn; with all pool threads busy, each file operation would wait for a hash.
    // The limits are relative to the duration of a hash, which a busy machine delays as well.
    const perHash = (performance.now() - began) / count;
    expect(files.length).toBeGreaterThan(2 * count);
    expect(files.toSorted((a, b) => a - b)[Math.floor(files.length / 2)]).toBeLessThan(perHash);
    expect(delay.percentile(50) / 1e6).toBeLessThan(perHash);
  });
});

describe('The password policy', () => {
  test.each([
    ['a sentence', 'correct horse battery staple'],
    ['small letters alone', 'hjkwpqzt'],
    ['digits alone that nobody else has', '83650274916'],
    ['eight characters of another script', 'пчелавлесу'.slice(0, 8)],
    ['eight characters of two UTF-16 units each', '🐎🔋🧷🪴🧿🪁🎻🦉'],
    ['spaces around it', '  hjkwpqzt  '],
    ['64 characters', 'hjkwpqzt'.repeat(8)],
    ['1,024 characters', 'hjkwpqzt'.repeat(128)],
  ])('allows %s', (_, text) => {
    expect(passwordProblems(text)).toEqual([]);
  });

  test.each([
    ['seven characters', 'hjkwpqz', [tooShort]],
    ['seven characters in fourteen UTF-16 units', '🐎🔋🧷🪴🧿🪁🎻', [tooShort]],
    ['four letters of two code points each', 'e\u0301o\u0301a\u0301u\u0301', [tooShort]],
    ['nothing', '', [tooShort]],
    ['a common one', 'password', [tooCommon]],
    ['a common one in capitals', 'PassWord1', [tooCommon]],
    ['common digits', '987654321', [tooCommon]],
    ['a common one with marks', 'P@ssw0rd', [tooCommon]],
    ['a common one of another script', 'КРИСТИНА', [tooCommon]],
    ['a common one with combining characters', 'contrasen\u0303a', [tooCommon]],
    ['one character again and again', '\u00a0'.repeat(20), [tooCommon]],
    ['one character too few times', 'zzz', [tooShort, tooCommon]],
  ])('refuses %s', (_, text, problems) => {
    expect(passwordProblems(text)).toEqual(problems);
  });

  const about = { email: 'bernhard.keller@klinik-example.org', firstName: 'Bernhard', lastName: 'Keller' };
  const like = (...what: string[]) => what.map(one => `The password is too similar to the ${one}.`);

  test.each([
    ['bernhard.keller@klinik-example.org', like('email address', 'first name', 'last name')],
    ['Bernhard.Keller', like('email address', 'first name', 'last name')],
    ['KELLERKELLER', like('email address', 'last name')],
    ['kellerbernhard83', like('email address', 'first name', 'last name')],
    ['Bernhard1', like('email address', 'first name')],
    ['drahnreb1', like('email address', 'first name')],
    ['Bernhart7', like('email address', 'first name')],
    ['keller!?', like('email address', 'last name')],
    ['portico1', like('name of this service')],
    ['Portico-2026', like('name of this service')],
  ])('refuses %s for Bernhard Keller', (text, problems) => {
    expect(passwordProblems(text, about)).toEqual(problems);
  });

  test.each([
    'correct horse battery staple',
    'Bernhard plays the violin',
    'kellerassel im garten',
    'hjkwpqzt-bernhard',
    'TestPass123!',
  ])('allows %s for Bernhard Keller', text => {
    expect(passwordProblems(text, about)).toEqual([]);
  });

  test('combines two short names', () => {
    expect(passwordProblems('JohnSmith1', { firstName: 'John', lastName: 'Smith' })).toEqual(
      like('first name', 'last name'),
    );
    expect(passwordProblems('john1985', { firstName: 'John' })).toEqual(like('first name'));
    expect(passwordProblems('john19852', { firstName: 'John' })).toEqual([]);
    // Two letters occur in many passwords by chance.
    expect(passwordProblems('alhkalpq', { firstName: 'Al' })).toEqual([]);
  });

  test('accepts unknown, short and unusual personal details', () => {
    for (const text of [null, undefined, '', ' ', 'Al', '.', '@', '\ud800', '(((', '$&']) {
      expect(passwordProblems('hjkwpqzt', { email: text, firstName: text, lastName: text })).toEqual([]);
    }
  });

  test('is evaluated within the time limit for any details', () => {
    const started = performance.now();
    for (const about of ['\u0301\u0323'.repeat(100_000), 'ab '.repeat(100_000), 'abcd'.repeat(60)]) {
      passwordProblems('abdc'.repeat(110), { email: about, firstName: about, lastName: about });
      passwordProblems('e\u0301\u0323'.repeat(341), { email: about, firstName: about, lastName: about });
    }
    // About 10 ms; a minute if the details were normalised before they are cut.
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('never throws, and repeats no message', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('keller', 'KELLER1', 'portico'));
    fc.assert(
      fc.property(text, text, text, (one, email, name) => {
        const problems = passwordProblems(one, { email, firstName: name, lastName: name });
        expect(new Set(problems).size).toBe(problems.length);
        expect([...one.normalize('NFC')].length < 8).toBe(problems.includes(tooShort));
      }),
    );
  });
});

describe('The list of common passwords', () => {
  const file = gunzipSync(
    readFileSync(join(import.meta.dirname, '../../src/auth/passwords/common-passwords.txt.gz')),
  ).toString('utf8');
  const entries = file.trimEnd().split('\n');

  test('has more than the required 3,000 entries, each of at least the minimum length', () => {
    expect(entries.length).toBeGreaterThan(10_000);
    expect(entries.filter(entry => [...entry].length < 8)).toEqual([]);
  });

  test('is in lower case and NFC, sorted, and without duplicates', () => {
    expect(entries).toEqual([...new Set(entries.map(entry => entry.normalize('NFC').toLowerCase()))].sort());
    expect(entries.filter(entry => !passwordProblems(entry).includes(tooCommon))).toEqual([]);
  });
});
