import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { attemptsAt } from './attempts.ts';
import { meetings } from './pair-of-people.ts';
import {
  actingKinds,
  conditions,
  type DeedName,
  type Door,
  deedNames,
  deeds,
  isGranted,
  otherKinds,
  refusalOf,
  relationsOf,
} from './people-rules.ts';

const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: '100000' } });
const attempts = attemptsAt(gateway);
const tried = Object.keys(attempts) as DeedName[];

test('every deed is tried at each of its doors', () => {
  const doorsOf = (from: Partial<Record<DeedName, object>>) =>
    Object.fromEntries(deedNames.map(name => [name, Object.keys(from[name] ?? {}).toSorted()]));
  const declared = Object.fromEntries(deedNames.map(name => [name, deeds[name].at]));
  expect(doorsOf(attempts)).toEqual(doorsOf(declared));
});

test('every condition decides in some cell', () => {
  const pairs = actingKinds.flatMap(me =>
    otherKinds.flatMap(other => relationsOf(me).map(relation => ({ me, other, relation }))),
  );
  const deciding = new Set(deedNames.flatMap(deed => pairs.map(pair => refusalOf(deed, pair))));
  expect(Object.keys(conditions).filter(name => !deciding.has(name as never))).toEqual([]);
  const never = deedNames.filter(deed => !pairs.some(pair => isGranted(deed, pair)));
  expect(never).toEqual(['secrets', 'page']);
});

const pairs = actingKinds.flatMap(me => otherKinds.map(other => ({ me, other })));

describe('the table of docs/people.md', () => {
  test.each(pairs)('$me with $other', async ({ me, other }) => {
    const wrong: string[] = [];
    for (const meeting of await meetings(gateway, { me, other }, relationsOf(me))) {
      const { relation } = meeting;
      const heard = { rest: [], graph: [], page: [] };
      for (const deed of tried) {
        const right = isGranted(deed, { me, other, relation });
        for (const [door, attempt] of Object.entries(attempts[deed]) as [Door, (typeof attempts)[DeedName][Door]][]) {
          const granted = await attempt?.(meeting, heard);
          if (granted !== right) wrong.push(`${relation}: ${deed} by ${door} is ${granted ? 'granted' : 'refused'}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    // What moderators have to decide on lists 100 entries.
    await sql`delete from held_age`.execute(gateway.database.sql);
    await sql`delete from report`.execute(gateway.database.sql);
  });
});
