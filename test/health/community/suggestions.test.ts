import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { countTermFrequencies, refreshAllMatchingTerms } from '../../../src/health/profiles/matching-terms.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
type Suggestion = { user: { id: number }; score: number; reason: string; shared: string[] };

async function suggested(who: TestAccount, query = ''): Promise<Suggestion[]> {
  const { status, json } = await send(gateway, 'GET', `/community/peers/suggested/${query}`, undefined, who.access);
  expect({ query, status }).toEqual({ query, status: 200 });
  return json;
}
const idsOf = (all: Suggestion[]): number[] => all.map(one => one.user.id);
const change = (who: TestAccount, body: object) => send(gateway, 'PATCH', '/auth/me/', body, who.access);

describe('suggestions', () => {
  test('have shared terms, the rarest first, with the reason', async () => {
    const [me, rare, frequent, both] = (await createVisibleAccounts(gateway, [
      { conditions: ['lupus'], symptoms: ['Fatigue'], has_diabetes: 'Y', date_of_birth: '1990-05-01' },
      { conditions: ['Lupus'], first_name: 'Rare', date_of_birth: '1950-01-31' },
      { symptoms: ['fatigue '], first_name: 'Frequent', last_name: '' },
      {
        has_diabetes: 'Y',
        symptoms: ['fatigue'],
        conditions: ['LUPUS'],
        first_name: 'Both',
        date_of_birth: '1995-01-31',
      },
    ])) as [TestAccount, TestAccount, TestAccount, TestAccount];
    await createVisibleAccounts(
      gateway,
      Array.from({ length: 30 }, () => ({ symptoms: ['fatigue'] })),
    );
    await inTransaction(gateway.database, countTermFrequencies);
    const all = await suggested(me, '?limit=50');
    expect(idsOf(all).slice(0, 3)).toEqual([both.id, rare.id, frequent.id]);
    expect(all[0]).toEqual({
      user: { id: both.id, full_name: 'Both N', age: null, age_band: '30-39', profile_picture: null },
      score: 100,
      reason: 'Similar: diabetes, lupus, fatigue',
      shared: ['diabetes', 'lupus', 'fatigue'],
    });
    expect(all[1]).toMatchObject({ reason: 'Similar: lupus', user: { age: null, age_band: '70-79' } });
    expect(all[2]).toMatchObject({ reason: 'Similar: fatigue', user: { full_name: 'Frequent', age_band: '30-39' } });
    expect(all.every(one => one.score > 0 && one.score <= 100)).toBe(true);
    expect(all.map(one => one.score)).toEqual(all.map(one => one.score).toSorted((a, b) => b - a));
    expect(await suggested(me, '?limit=2')).toHaveLength(2);
  });

  test('are empty without shared terms and for an empty profile', async () => {
    const [empty, me] = (await createVisibleAccounts(gateway, [{}, { conditions: ['pompe disease'] }])) as [
      TestAccount,
      TestAccount,
    ];
    expect(await suggested(empty)).toEqual([]);
    expect(await suggested(me)).toEqual([]);
  });

  test('require the opt-in of both users', async () => {
    const [me, hidden] = (await createVisibleAccounts(gateway, [
      { conditions: ['fabry disease'] },
      { conditions: ['fabry disease'], is_visible_in_community: false },
      { conditions: ['fabry disease'], is_guest: true },
      { conditions: ['fabry disease'], is_active: false },
    ])) as [TestAccount, TestAccount];
    expect(idsOf(await suggested(me))).toEqual([]);
    expect(await suggested(hidden)).toEqual([]);
    expect((await change(hidden, { is_visible_in_community: true })).status).toBe(200);
    expect(idsOf(await suggested(me))).toEqual([hidden.id]);
    expect(idsOf(await suggested(hidden))).toEqual([me.id]);
    await change(me, { is_visible_in_community: false });
    expect(await suggested(hidden)).toEqual([]);
    const { rows } = await sql`select 1 from health_profile where user_id = ${me.id}`.execute(gateway.database.sql);
    expect(rows).toEqual([]);
  });

  test('exclude connected, asked and blocked users; declined ones return after 30 days', async () => {
    const [me, friend, asked, blocked, refused, stranger] = (await createVisibleAccounts(
      gateway,
      Array.from({ length: 6 }, () => ({ conditions: ['gaucher disease'] })),
    )) as [TestAccount, TestAccount, TestAccount, TestAccount, TestAccount, TestAccount];
    await connect(gateway, me, friend);
    const ask = async (from: TestAccount, to: TestAccount): Promise<number> =>
      (await send(gateway, 'POST', '/community/peers/connect/', { receiver_id: to.id }, from.access)).json.id;
    await ask(me, asked);
    const blockedId = await ask(blocked, me);
    await send(gateway, 'PATCH', `/community/peers/${blockedId}/`, { status: 'blocked' }, me.access);
    const refusedId = await ask(refused, me);
    await send(gateway, 'PATCH', `/community/peers/${refusedId}/`, { status: 'declined' }, me.access);
    expect(idsOf(await suggested(me))).toEqual([stranger.id]);
    expect(idsOf(await suggested(blocked))).not.toContain(me.id);
    await sql`update peer_connection set responded_at = responded_at - interval '31 days' where id = ${refusedId}`.execute(
      gateway.database.sql,
    );
    expect(idsOf(await suggested(me))).toEqual([refused.id, stranger.id]);
  });

  test('tell no age but its band: a score is the same for all dates of birth of one band', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [
      { conditions: ['scleroderma', 'vasculitis', 'raynaud'] },
      { conditions: ['scleroderma'], date_of_birth: '1971-03-09' },
    ])) as [TestAccount, TestAccount];
    const scoreOf = async (born: string) => {
      expect((await change(me, { date_of_birth: born })).status).toBe(200);
      return (await suggested(me)).find(one => one.user.id === other.id)?.score;
    };
    const bands = [
      ['1977-01-01', '1980-12-31', '1981-03-07', '1981-03-08', '1986-10-31'],
      ['1967-01-01', '1970-12-31', '1976-10-31'],
      ['1957-01-01', '1961-03-10', '1961-03-13', '1966-10-31'],
    ];
    const scores = [];
    for (const band of bands) {
      const ofBand = [];
      for (const born of band) ofBand.push(await scoreOf(born));
      scores.push([...new Set(ofBand)]);
    }
    const [without] = scores[0] as [number];
    expect(scores).toEqual([[without], [without + 5], [without]]);
  });
});

describe('what is private', () => {
  test('is used by no suggestion: lifestyle, assessments, and every condition that its owner does not show', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [
      {
        is_smoker: 'Y',
        had_recent_surgery: 'Y',
        conditions: ['wilson disease', 'HIV'],
        symptoms: ['nausea'],
      },
      {
        is_smoker: 'Y',
        had_recent_surgery: 'Y',
        has_diabetes: 'Y',
        conditions: ['wilson disease', 'HIV'],
        symptoms: ['nausea'],
        conditions_for_suggestions: [],
      },
    ])) as [TestAccount, TestAccount];
    expect((await send(gateway, 'POST', '/assessments/', { symptoms: ['Nausea'] }, other.access)).status).toBe(201);
    expect([await suggested(me), await suggested(other)]).toEqual([[], []]);
    // Peers see what is for peers, and suggestions do not.
    await change(other, { conditions_for_peers: ['hiv'] });
    expect(await suggested(me)).toEqual([]);
    await change(other, { conditions_for_suggestions: ['Wilson  disease'] });
    expect(await suggested(me)).toMatchObject([{ user: { id: other.id }, shared: ['wilson disease'] }]);
    await change(other, { conditions_for_suggestions: [] });
    expect(await suggested(me)).toEqual([]);
  });

  test('is private again once the profile does not state it any more', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [
      { conditions: ['behcet'] },
      { conditions: ['behcet'] },
    ])) as [TestAccount, TestAccount];
    expect(idsOf(await suggested(me))).toEqual([other.id]);
    await change(other, { conditions: [] });
    const { json } = await change(other, { conditions: ['behcet'] });
    expect([json.conditions, json.conditions_for_suggestions]).toEqual([['behcet'], []]);
    expect(await suggested(me)).toEqual([]);
  });

  test('cannot be shown without being stated', async () => {
    const [me] = (await createVisibleAccounts(gateway, [{ conditions: ['lupus'] }])) as [TestAccount];
    for (const field of ['conditions_for_peers', 'conditions_for_suggestions']) {
      const { status, json } = await change(me, { [field]: ['lupus', 'HIV'] });
      expect([status, json]).toEqual([400, { [field]: ['"HIV" is none of your conditions and symptoms.'] }]);
      expect((await change(me, { [field]: null })).status).toBe(400);
    }
  });

  test('is seen by accepted peers as their owner chose, and by nobody before', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [
      {},
      { conditions: ['sarcoidosis', 'acne', 'HIV'], conditions_for_suggestions: ['acne'] },
    ])) as [TestAccount, TestAccount];
    await change(other, { conditions_for_peers: ['sarcoidosis'] });
    const asked = await send(gateway, 'POST', '/community/peers/connect/', { receiver_id: other.id }, me.access);
    const shown = async (status: string) => {
      const query = `{ healthViewer { peers(first: 1, status: ${status}) { nodes { sharedConditions } } } }`;
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${me.access}` };
      const { json } = await gateway.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
      return json.data.healthViewer.peers.nodes;
    };
    expect(await shown('PENDING')).toEqual([{ sharedConditions: [] }]);
    await send(gateway, 'PATCH', `/community/peers/${asked.json.id}/`, { status: 'accepted' }, other.access);
    expect(await shown('ACCEPTED')).toEqual([{ sharedConditions: ['acne', 'sarcoidosis'] }]);
  });
});

describe('matching terms', () => {
  test('follow changes of profile and groups at once', async () => {
    const [me, other] = (await createVisibleAccounts(gateway, [{}, { conditions: ['castleman'] }])) as [
      TestAccount,
      TestAccount,
    ];
    expect(await suggested(me)).toEqual([]);
    await change(me, { conditions: ['Castleman'], conditions_for_suggestions: ['castleman'] });
    expect(idsOf(await suggested(me))).toEqual([other.id]);
    await change(me, { conditions: [] });
    expect(await suggested(me)).toEqual([]);
    const group = { name: 'Whipple', condition_tags: ['whipple'] };
    const { id } = (await send(gateway, 'POST', '/community/groups/', group, other.access)).json;
    await send(gateway, 'POST', `/community/groups/${id}/join/`, undefined, me.access);
    expect((await suggested(me))[0]).toMatchObject({ user: { id: other.id }, shared: ['whipple'] });
    await send(gateway, 'POST', `/community/groups/${id}/leave/`, undefined, me.access);
    expect(await suggested(me)).toEqual([]);
  });

  test('are refreshed by the nightly job, which drops deleted users', async () => {
    const [one, two] = (await createVisibleAccounts(gateway, [
      { conditions: ['stickler'] },
      { conditions: ['stickler'] },
    ])) as [TestAccount, TestAccount];
    await sql`update health_profile set terms = '{}' where user_id = ${one.id}`.execute(gateway.database.sql);
    await sql`update users set is_active = false where id = ${two.id}`.execute(gateway.database.sql);
    const profiles = await refreshAllMatchingTerms(work => inTransaction(gateway.database, work));
    const { rows } = await sql<{ id: number; terms: string[] }>`select user_id as id, terms from health_profile
      where user_id in (${one.id}, ${two.id})`.execute(gateway.database.sql);
    expect(rows).toEqual([{ id: one.id, terms: ['c:stickler'] }]);
    const counted = await sql<{ term: string; df: number }>`select term, df from term_df
      where term in ('*', 'c:stickler') order by term`.execute(gateway.database.sql);
    expect(counted.rows).toEqual([
      { term: '*', df: profiles },
      { term: 'c:stickler', df: 1 },
    ]);
  });

  test('are deleted with the account', async () => {
    const [me] = (await createVisibleAccounts(gateway, [{ conditions: ['marfan'] }])) as [TestAccount];
    expect((await send(gateway, 'DELETE', '/auth/me/delete/', undefined, me.access)).status).toBe(204);
    const { rows } = await sql`select 1 from health_profile where user_id = ${me.id}`.execute(gateway.database.sql);
    expect(rows).toEqual([]);
  });
});

test('the limit is from 1 to 50', async () => {
  const [me] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
  for (const limit of ['0', '-1', '51', 'x']) {
    const { status, json } = await send(
      gateway,
      'GET',
      `/community/peers/suggested/?limit=${limit}`,
      undefined,
      me.access,
    );
    expect({ limit, status, json }).toEqual({ limit, status: 400, json: { limit: [expect.any(String)] } });
  }
  const statements = await gateway.statements(() => suggested(me));
  expect(statements.filter(text => text.includes('health_profile'))).toHaveLength(1);
});
