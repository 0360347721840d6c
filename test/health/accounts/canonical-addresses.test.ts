import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { CanonicalAddresses } from '../../../src/db/migrations/026-canonical-addresses.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });

test('stored addresses are canonicalized unless another account has the result', async () => {
  const { sql: db, orm } = gateway.database;
  const stored = [
    'one@xn--bcher-kva.example',
    'two@ｅｘａｍｐｌｅ.org',
    'three@bücher.example',
    'THREE@xn--bcher-kva.example',
    'Four@Example.org',
  ];
  for (const email of stored) {
    await sql`insert into users (email, date_joined, last_seen_at) values (${email}, now(), now())`.execute(db);
  }
  const migration = new CanonicalAddresses(orm.em.getDriver(), orm.config);
  for (let run = 0; run < 2; run++) {
    await migration.up();
    const { rows } = await sql<{ email: string }>`select email from users order by id`.execute(db);
    expect(rows.map(({ email }) => email)).toEqual([
      'one@bücher.example',
      'two@example.org',
      'three@bücher.example',
      'THREE@xn--bcher-kva.example',
      'Four@Example.org',
    ]);
  }
});

test('a registration returns the canonical address', async () => {
  const form = { first_name: 'Robin', last_name: 'Vale', password: 'a good phrase 1', password2: 'a good phrase 1' };
  const { status, json } = await send(gateway, 'POST', '/auth/register/', {
    ...form,
    email: ' Ann@ＢÜＣＨＥＲ.example ',
  });
  expect({ status, email: json.email }).toEqual({ status: 201, email: 'Ann@bücher.example' });
});
