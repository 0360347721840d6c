import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { readRef } from '../../../src/git/refs.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from '../contents/world.ts';
import { changeRef, ruleset, suitesOf } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const everyRef = { conditions: { ref_name: { include: ['~ALL'], exclude: [] } } };
const head = (world: World, ref: string) =>
  readRef(openRepository(unlimitedSource(gateway.database.read), world.id), ref);

/**
 * The automaton cannot cache its states: each character costs 950 instructions, which makes half a minute for this
 * text.
 */
const slow = (letter = 'c') => ({ operator: 'regex', pattern: `(?i)[ab]*a[ab]{950}${letter}` });
const text = randomText(600_000);

/** Deterministic, but without a period that an automaton could learn. */
function randomText(length: number): string {
  let state = 2_463_534_242;
  let letters = '';
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    letters += state & 1 ? 'a' : 'b';
  }
  return letters;
}

const messageRule = (parameters: object) => ({ type: 'commit_message_pattern', parameters });

const put = (world: World, branch: string, message: string) =>
  call(gateway, 'PUT', `/repos/${world.owner}/${world.name}/contents/a-${branch}.txt`, `Bearer ${token}`, {
    ...{ message, branch, content: base64('new\n') },
  });

/** Number of sequential requests answered during `work`. */
async function answeredDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    expect((await gateway.request('/livez')).status).toBe(200);
    answered++;
  }
  await done;
  return answered;
}

/** More than are answered before the rules of a push are evaluated, and far fewer than fit into two seconds. */
const many = 50;

async function detailsOf({ id }: World): Promise<string[]> {
  const { rows } = await sql<{ details: string }>`select e ->> 'details' as details from rule_suite,
    jsonb_array_elements(evaluations) e where repository_id = ${id} and e ->> 'result' = 'fail' order by id`.execute(
    gateway.database.sql,
  );
  return rows.map(({ details }) => details);
}

test('with six slow expressions over a long message the push is rejected and recorded, and other requests are served meanwhile', async () => {
  const world = await newWorld(gateway, token);
  const before = await world.commit({ 'old.txt': 'old\n' });
  const rules = ['c', 'd', 'e', 'f', 'g', 'h'].map(letter => messageRule({ ...slow(letter), negate: true }));
  const cheap = messageRule({ operator: 'contains', pattern: 'ab' });
  await ruleset(gateway, world, token, { ...everyRef, rules: [...rules, cheap] });
  const pushing = put(world, 'main', text);
  expect(await answeredDuring(pushing)).toBeGreaterThan(many);
  const { status, json } = await pushing;
  expect({ status, message: json.message }).toEqual({
    status: 409,
    message: expect.stringMatching(/^Repository rule violations found\n\nRule commit_message_pattern .* took too long/),
  });
  expect(await head(world, 'refs/heads/main')).toBe(before);
  expect(await suitesOf(gateway, world)).toEqual([
    {
      ...{ ref: 'refs/heads/main', result: 'fail', evaluation: null, before },
      after: expect.stringMatching(/^[0-9a-f]{40}$/),
      // Cheap rules are evaluated nevertheless.
      results: [...rules.map(() => 'commit_message_pattern fail'), 'commit_message_pattern pass'],
    },
  ]);
  expect(await detailsOf(world)).toHaveLength(rules.length);
});

test('a slow expression in evaluate mode lets the push pass and records that it could not be evaluated', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'old.txt': 'old\n' });
  await ruleset(gateway, world, token, { ...everyRef, enforcement: 'evaluate', rules: [messageRule(slow())] });
  await ruleset(gateway, world, token, {
    ...{ ...everyRef, name: 'Active', rules: [messageRule({ operator: 'regex', pattern: '^[ab]+$' })] },
  });
  expect((await put(world, 'main', text)).status).toBe(201);
  expect(await suitesOf(gateway, world)).toMatchObject([
    { result: 'pass', evaluation: 'fail', results: ['commit_message_pattern fail', 'commit_message_pattern pass'] },
  ]);
  expect(await detailsOf(world)).toEqual([expect.stringContaining('took too long')]);
});

test('path patterns over many long paths are bounded as well', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'old.txt': 'old\n' });
  const folder = `${'a'.repeat(200)}/`.repeat(18);
  const paths = Array.from({ length: 100 }, (_, at) => [`${folder}${'a'.repeat(200)}${at}`, 'new\n']);
  const sha = await world.commit(Object.fromEntries(paths), { branch: 'side' });
  const patterns = Array.from({ length: 200 }, (_, at) => `**/${'*a'.repeat(60)}/${'**/*a*a*b/'.repeat(30)}${at}*`);
  await ruleset(gateway, world, token, {
    target: 'push',
    rules: [1, 2, 3, 4, 5, 6].map(() => ({
      type: 'file_path_restriction',
      parameters: { restricted_file_paths: patterns },
    })),
  });
  const before = await head(world, 'refs/heads/main');
  const pushing = changeRef(gateway, world, 'updateRef', { ref: 'refs/heads/main', sha, token });
  expect(await answeredDuring(pushing)).toBeGreaterThan(many);
  expect(await pushing).toEqual({
    went: 'refused',
    message: expect.stringContaining('Rule file_path_restriction could not be evaluated'),
  });
  expect(await head(world, 'refs/heads/main')).toBe(before);
  expect(await suitesOf(gateway, world)).toMatchObject([{ ref: 'refs/heads/main', result: 'fail' }]);
});

test('more slow pushes than worker threads are rejected or asked to retry', async () => {
  const world = await newWorld(gateway, token);
  const branches = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8'];
  for (const branch of branches) await world.commit({ 'old.txt': `${branch}\n` }, { branch });
  await ruleset(gateway, world, token, { ...everyRef, rules: [messageRule(slow())] });
  const pushing = Promise.all(branches.map(branch => put(world, branch, text)));
  expect(await answeredDuring(pushing)).toBeGreaterThan(many);
  const answers = await pushing;
  expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual([409, 503]);
  for (const { status, headers, json } of answers) {
    if (status === 409) expect(json.message).toContain('took too long');
    else expect([headers.get('retry-after'), json.code]).toEqual([expect.stringMatching(/^\d+$/), 'unavailable']);
  }
  // A push that is asked to retry leaves nothing.
  const refused = answers.filter(({ status }) => status === 409);
  expect(await suitesOf(gateway, world)).toHaveLength(refused.length);
});

test('expressions that are slow to compile do not block other requests when a ruleset is written', async () => {
  const world = await newWorld(gateway, token);
  const pattern = '(x{2}){500}'.repeat(40);
  const rules = Array.from({ length: 50 }, (_, at) => messageRule({ operator: 'regex', pattern: `${pattern}${at}` }));
  const body = { name: 'Rules', enforcement: 'active', ...everyRef, rules };
  const writing = call(gateway, 'POST', `/repos/${world.owner}/${world.name}/rulesets`, `Bearer ${token}`, body);
  expect(await answeredDuring(writing)).toBeGreaterThan(many);
  const { status, json } = await writing;
  expect(status).toBe(422);
  expect(json.errors[0].message).toMatch(
    /^Invalid rule 'commit_message_pattern': invalid regular expression: the expressions? /,
  );
});

test('the rulesets of a source are bounded in total', async () => {
  const world = await newWorld(gateway, token);
  const path = `/repos/${world.owner}/${world.name}/rulesets`;
  const long = Array.from({ length: 200 }, (_, at) => `refs/heads/${at}${'x'.repeat(490)}`);
  const body = (name: string) => ({
    ...{ name, enforcement: 'active', conditions: { ref_name: { include: long, exclude: long } }, rules: [] },
  });
  const statuses: number[] = [];
  for (let at = 0; at < 6; at++) {
    statuses.push((await call(gateway, 'POST', path, `Bearer ${token}`, body(`Rules ${at}`))).status);
  }
  expect(statuses).toEqual([201, 201, 201, 201, 422, 422]);
});
