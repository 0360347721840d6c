import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { encodeCommit, parseCommit } from '../../../src/git/commit.ts';
import { createObject } from '../../../src/git/object.ts';
import { SignatureVerifier } from '../../../src/git/signatures/signature-verifier.ts';
import { verifyCommits } from '../../../src/hosting/commits/verifications.ts';
import { WorkBudget } from '../../../src/workers/work-budget.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { curveSigner, encryptingSigner, pgpSigner, revokedSigner, type Signer, sshSigner } from './signers.ts';

const now = new Date('2026-10-01T08:10:00Z');
const gateway = await testGateway({ data: 'demo', now: now.toISOString() });
const { wren, juniper } = (await demoOf(gateway)).users;
const path = '/repos/harbor-lab/compass/git/commits';
const mine = 'wren@example.org';
const branch = await graphql(
  gateway,
  '{ repository(owner: "harbor-lab", name: "compass") { defaultBranchRef { target { oid } } } }',
);
const head = branch.data.repository.defaultBranchRef.target.oid as string;
const { tree } = (await call(gateway, 'GET', `${path}/${head}`)).json;

beforeEach(() => {
  gateway.clock.now = now;
});

let made = 0;

/** Creates a commit through the API, signed over its exact bytes. */
async function commit(
  sign: (payload: Buffer) => Promise<string> | string,
  { email = mine, repository = 'harbor-lab/compass' } = {},
) {
  const message = `Signed ${++made}\n`;
  const person = { name: 'Wren', email, seconds: 1_780_000_000, zone: '+0200' };
  const payload = encodeCommit({ tree: tree.sha, parents: [head], author: person, committer: person, message });
  const date = '2026-05-28T22:26:40+02:00';
  const author = { name: person.name, email, date };
  const signature = await sign(payload);
  const body = { message, tree: tree.sha, parents: [head], author, signature };
  const { status, json } = await call(
    gateway,
    'POST',
    `/repos/${repository}/git/commits`,
    `Bearer ${wren.classic_token}`,
    body,
  );
  expect(status).toBe(201);
  return { json, payload: payload.toString(), signature };
}

async function register(kind: 'SSH' | 'PGP', { publicKey }: Signer, token = wren.classic_token): Promise<number> {
  const answer = await graphql(
    gateway,
    `mutation ($key: String!) { addSigningKey(input: { kind: ${kind}, title: "t", publicKey: $key }) { signingKey { databaseId } } }`,
    token,
    { key: publicKey },
  );
  expect(answer.errors).toBeUndefined();
  return answer.data.addSigningKey.signingKey.databaseId;
}

const remove = (id: number) =>
  graphql(
    gateway,
    `mutation { removeSigningKey(input: { signingKeyId: "${encodeGlobalId('SigningKey', id)}" }) { deletedId } }`,
    wren.classic_token,
  );
const read = async (sha: string) => (await call(gateway, 'GET', `${path}/${sha}`)).json.verification;

/** An unverified email address of wren. */
await sql`insert into account_email (account_id, email, created_at)
  select id, 'unproved@example.org', ${now.toISOString()} from account where login = 'wren'`.execute(
  gateway.database.sql,
);

describe.each([
  ['PGP', () => pgpSigner(mine)],
  ['SSH', async () => sshSigner()],
] as const)('%s', (kind, make) => {
  test('valid, with the signed bytes; it stays valid when the key is removed', async () => {
    const signer = await make();
    const key = await register(kind, signer);
    const { json, payload, signature } = await commit(signer.sign);
    const verified = { verified: true, reason: 'valid', signature, payload, verified_at: '2026-10-01T08:10:00Z' };
    expect(json.verification).toEqual(verified);
    gateway.clock.now = new Date('2026-11-05T00:00:00Z');
    expect((await remove(key)).data.removeSigningKey.deletedId).toBe(encodeGlobalId('SigningKey', key));
    expect(await read(json.sha)).toEqual(verified);
    // Later commits are signed with a key that nobody has registered.
    expect((await commit(signer.sign)).json.verification).toMatchObject({ reason: 'unknown_key', verified_at: null });
  });

  test('a key that is added later makes an earlier commit valid', async () => {
    const signer = await make();
    const { json } = await commit(signer.sign);
    expect(json.verification).toMatchObject({ verified: false, reason: 'unknown_key', verified_at: null });
    gateway.clock.now = new Date('2026-11-06T00:00:00Z');
    await register(kind, signer);
    expect(await read(json.sha)).toMatchObject({ reason: 'valid', verified_at: '2026-11-06T00:00:00Z' });
  });

  test('no_user, unverified_email, bad_email and invalid', async () => {
    const signer = await make();
    await register(kind, signer);
    const reasonFor = async (email: string) => (await commit(signer.sign, { email })).json.verification.reason;
    expect(await reasonFor('nobody@example.org')).toBe('no_user');
    expect(await reasonFor('unproved@example.org')).toBe('unverified_email');
    expect(await reasonFor('juniper@example.org')).toBe('bad_email');
    const other = await commit(payload => signer.sign(Buffer.concat([payload, Buffer.from('.')])));
    expect(other.json.verification.reason).toBe('invalid');
  });

  test('valid with the noreply address of the account; bad_email with a foreign one', async () => {
    const signer = await make();
    await register(kind, signer);
    const host = new URL(gateway.url).hostname;
    const idOf = async (login: string) => (await call(gateway, 'GET', `/users/${login}`)).json.id as number;
    const [own, other] = [await idOf('wren'), await idOf('juniper')];
    const reasonFor = async (email: string) => (await commit(signer.sign, { email })).json.verification.reason;
    // A PGP key has its own email addresses, and this one lacks that address.
    const named = kind === 'SSH' ? 'valid' : 'bad_email';
    expect(await reasonFor(`${own}+Wren@users.noreply.${host}`)).toBe(named);
    expect(await reasonFor(`${own}+a-former-login@users.noreply.${host}`)).toBe(named);
    expect(await reasonFor(`${other}+juniper@users.noreply.${host}`)).toBe('bad_email');
    expect(await reasonFor(`999999999+wren@users.noreply.${host}`)).toBe('no_user');
    expect(await reasonFor(`${own}+app[bot]@users.noreply.${host}`)).toBe('no_user');
    expect(await reasonFor(`${own}+wren@users.noreply.example.org`)).toBe('no_user');
  });

  test('malformed_signature: trailing data', async () => {
    const signer = await make();
    await register(kind, signer);
    const { json } = await commit(async payload => `${await signer.sign(payload)}garbage`);
    expect(json.verification.reason).toBe('malformed_signature');
    expect(json.verification.signature).toMatch(/garbage$/);
  });
});

test('unsigned and unknown_signature_type', async () => {
  expect((await commit(() => '')).json.verification).toEqual({
    verified: false,
    reason: 'unsigned',
    signature: null,
    payload: null,
    verified_at: null,
  });
  const mime = '-----BEGIN SIGNED MESSAGE-----\nMII\n-----END SIGNED MESSAGE-----\n';
  expect((await commit(() => mime)).json.verification).toMatchObject({
    reason: 'unknown_signature_type',
    signature: mime,
  });
});

test('expired_key, and a commit that was verified before stays valid', async () => {
  const signer = await pgpSigner(mine, 290);
  await register('PGP', signer);
  const early = await commit(signer.sign);
  expect(early.json.verification.reason).toBe('valid');
  gateway.clock.now = new Date('2026-12-01T00:00:00Z');
  expect((await commit(signer.sign)).json.verification.reason).toBe('expired_key');
  expect(await read(early.json.sha)).toMatchObject({ reason: 'valid', verified_at: '2026-10-01T08:10:00Z' });
});

test.each([
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
  'secp256k1',
  'nistP256',
  'nistP521',
  'ed25519Legacy',
] as const)('valid over the curve %s', async curve => {
  const signer = await curveSigner(mine, curve);
  await register('PGP', signer);
  expect((await commit(signer.sign)).json.verification.reason).toBe('valid');
});

test.each([
  ['after', (key: string, certificate: string) => `${key}\n${certificate}`],
  ['before', (key: string, certificate: string) => `A revocation certificate\n\n${certificate}\n${key}`],
] as const)('expired_key: a key with its revocation certificate %s it', async (_, together) => {
  const signer = await revokedSigner(mine);
  await register('PGP', { ...signer, publicKey: together(signer.publicKey, signer.certificate) });
  expect((await commit(signer.sign)).json.verification.reason).toBe('expired_key');
});

test('a revocation certificate of another key revokes nothing', async () => {
  const [signer, other] = [await revokedSigner(mine), await revokedSigner(mine)];
  await register('PGP', { ...signer, publicKey: `${signer.publicKey}\n${other.certificate}` });
  expect((await commit(signer.sign)).json.verification.reason).toBe('valid');
});

test('several keys in one text are refused', async () => {
  const [one, other] = [await pgpSigner(mine), await pgpSigner(mine)];
  const { errors } = await graphql(
    gateway,
    'mutation ($key: String!) { addSigningKey(input: { kind: PGP, title: "t", publicKey: $key }) { signingKey { databaseId } } }',
    wren.classic_token,
    { key: `${one.publicKey}\n${other.publicKey}` },
  );
  expect(errors[0].extensions.errors[0].message).toBe('These are several keys. Add them one at a time.');
});

test('not_signing_key: found by the subkey id', async () => {
  const signer = await encryptingSigner(mine);
  await register('PGP', signer);
  expect((await commit(signer.sign)).json.verification.reason).toBe('not_signing_key');
});

test('bad_email: a PGP key with another email address', async () => {
  const signer = await pgpSigner('elsewhere@example.org');
  await register('PGP', signer);
  expect((await commit(signer.sign)).json.verification.reason).toBe('bad_email');
});

test('a foreign key that contains the same subkey does no harm', async () => {
  const signer = await pgpSigner(mine);
  const other = await pgpSigner('juniper@example.org');
  await register('PGP', other, juniper.classic_token);
  await register('PGP', signer);
  await sql`update signing_key set key_ids = key_ids || (select k.key_ids from signing_key k order by k.id desc limit 1)
    where account_id = (select id from account where login = 'juniper')`.execute(gateway.database.sql);
  expect((await commit(signer.sign)).json.verification.reason).toBe('valid');
});

test('gpgverify_error: an unreadable key; not recorded', async () => {
  const signer = await pgpSigner(mine);
  const id = await register('PGP', signer);
  const { rows } = await sql<{ key: string }>`select public_key as key from signing_key where id = ${id}`.execute(
    gateway.database.sql,
  );
  await sql`update signing_key set public_key = 'gone' where id = ${id}`.execute(gateway.database.sql);
  const { json } = await commit(signer.sign);
  expect(json.verification).toMatchObject({ verified: false, reason: 'gpgverify_error', verified_at: null });
  await sql`update signing_key set public_key = ${rows[0]?.key} where id = ${id}`.execute(gateway.database.sql);
  expect((await read(json.sha)).reason).toBe('valid');
});

test('gpgverify_unavailable: the verifier is busy; a later request may succeed', async () => {
  const signer = await pgpSigner(mine);
  await register('PGP', signer);
  const person = { name: 'Wren', email: mine, seconds: 1_780_000_000, zone: '+0200' };
  const bare = { tree: tree.sha, parents: [], author: person, committer: person, message: 'Busy\n' };
  const object = createObject('commit', encodeCommit({ ...bare, signature: await signer.sign(encodeCommit(bare)) }));
  const { rows } = await sql<{ id: number }>`select id from repository where name = 'tides'`.execute(
    gateway.database.sql,
  );
  const place = { databaseId: rows[0]?.id ?? 0, ownerLogin: 'harbor-lab', name: 'tides', networkRootId: null };
  const context = {
    read: gateway.database.read,
    publicOrigin: gateway.url,
    transaction: () => Promise.reject(new Error('Nothing is noted.')),
    now: () => now,
    workBudget: WorkBudget.unlimited(),
  };
  const busy = new SignatureVerifier({ maxPending: 0, waitTimeoutMs: 1000 });
  const [verified] = await verifyCommits(
    context,
    [{ place, object: { ...object, ...parseCommit(object.content, 'x') } }],
    busy,
  );
  expect(verified).toMatchObject({ reason: 'gpgverify_unavailable', verifiedAt: null });
});

test('a valid signature counts for the whole fork network', async () => {
  const signer = sshSigner();
  const key = await register('SSH', signer);
  const { json, signature } = await commit(signer.sign);
  await remove(key);
  // The same commit in the fork of another account: the same bytes and id.
  const answer = await graphql(
    gateway,
    `mutation ($message: String!, $signature: String!, $author: GitPersonInput!) {
      createGitCommit(input: { repository: { named: { owner: "tomas", name: "compass" } }, message: $message,
        treeOid: "${tree.sha}", parentOids: ["${head}"], author: $author, signature: $signature }) {
        commit { oid signature { __typename state isValid verifiedAt email } } } }`,
    (await demoOf(gateway)).users.tomas.classic_token,
    {
      message: `${json.message}\n`,
      signature,
      author: { name: 'Wren', email: mine, date: '2026-05-28T22:26:40+02:00' },
    },
  );
  expect(answer.data.createGitCommit.commit).toEqual({
    oid: json.sha,
    signature: {
      __typename: 'SshSignature',
      state: 'VALID',
      isValid: true,
      verifiedAt: '2026-10-01T08:10:00.000000Z',
      email: mine,
    },
  });
});

test('a page of signed commits takes three statements for all signatures, and one once they are recorded', async () => {
  const signer = sshSigner();
  await register('SSH', signer);
  const created: string[] = [];
  let parent = head;
  for (let at = 0; at < 5; at++) {
    const person = { name: 'Wren', email: mine, seconds: 1_780_000_000 + at, zone: '+0000' };
    const bare = { tree: tree.sha, parents: [parent], author: person, committer: person, message: `Page ${at}` };
    const author = { name: 'Wren', email: mine, date: new Date(person.seconds * 1000).toISOString() };
    const signature = await signer.sign(encodeCommit(bare));
    const answer = await graphql(
      gateway,
      `mutation ($message: String!, $signature: String!, $author: GitPersonInput!) {
        createGitCommit(input: { repository: { named: { owner: "harbor-lab", name: "compass" } }, message: $message,
          treeOid: "${tree.sha}", parentOids: ["${parent}"], author: $author, signature: $signature }) { commit { oid } } }`,
      wren.classic_token,
      { message: bare.message, signature, author },
    );
    parent = answer.data.createGitCommit.commit.oid;
    created.unshift(parent);
  }
  const page = () =>
    graphql(
      gateway,
      `{ repository(owner: "harbor-lab", name: "compass") { object(oid: "${parent}") { ... on Commit {
        history(first: 5) { nodes { oid signature { state } } } } } } }`,
    );
  const counts: number[] = [];
  for (let at = 0; at < 2; at++) {
    const statements = await gateway.statements(async () => {
      expect((await page()).data.repository.object.history.nodes).toEqual(
        created.map(oid => ({ oid, signature: { state: 'VALID' } })),
      );
    });
    counts.push(statements.filter(text => /commit_verification|signing_key/.test(text)).length);
  }
  expect(counts).toEqual([3, 1]);
});
