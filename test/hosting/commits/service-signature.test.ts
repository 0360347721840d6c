import { expect, test } from '@jest/globals';
import { createMessage, readKey, readSignature, verify } from 'openpgp';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const app = `Bearer ${demo.tokens.installation}`;
const user = `Bearer ${demo.users.wren.classic_token}`;
const repository = '/repos/harbor-lab/compass';
const content = Buffer.from('Signed\n').toString('base64');
const person = { name: 'A Person', email: 'person@example.org' };

const put = (path: string, authorization: string, more: object = {}) =>
  call(gateway, 'PUT', `${repository}/contents/${path}`, authorization, { message: `Add ${path}`, content, ...more });
const verificationOf = async (sha: string) =>
  (await call(gateway, 'GET', `${repository}/git/commits/${sha}`, user)).json.verification;

async function commitOnBranch(token: string, path: string, more = '') {
  const { json: branch } = await call(gateway, 'GET', `${repository}/git/commits/main`, user);
  const head = branch.sha ?? (await headOid());
  const { data, errors } = await graphql(
    gateway,
    `mutation { createCommitOnBranch(input: { branch: { repositoryNameWithOwner: "harbor-lab/compass", branchName: "main" }, expectedHeadOid: "${head}",
      message: { headline: "On a branch" }, fileChanges: { additions: [{ path: "${path}", contents: "${content}" }] } ${more} }) {
      commit { oid committer { name } signature { isValid } } } }`,
    token,
  );
  expect(errors).toBeUndefined();
  return data.createCommitOnBranch.commit;
}

async function headOid(): Promise<string> {
  const { data } = await graphql(
    gateway,
    '{ repository(owner: "harbor-lab", name: "compass") { defaultBranchRef { target { oid } } } }',
  );
  return data.repository.defaultBranchRef.target.oid;
}

test('concurrent first commits of an app are signed by one account, whose published key verifies them', async () => {
  const before = await headOid();
  const { tree } = (await call(gateway, 'GET', `${repository}/git/commits/${before}`)).json;
  const made = await Promise.all(
    ['One', 'Two', 'Three'].map(message =>
      call(gateway, 'POST', `${repository}/git/commits`, app, { message, tree: tree.sha, parents: [before] }),
    ),
  );
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  const { data } = await graphql(
    gateway,
    '{ user(login: "web-flow") { signingKeys(first: 5) { nodes { kind publicKey } } } }',
    demo.users.wren.classic_token,
  );
  expect(data.user.signingKeys.nodes).toHaveLength(1);
  const verificationKeys = await readKey({ armoredKey: data.user.signingKeys.nodes[0].publicKey });
  for (const { json } of made) {
    expect(json.committer.name).toBe('web-flow');
    expect(json.author.name).toBe('harbor-pilot[bot]');
    expect(json.verification).toMatchObject({ verified: true, reason: 'valid' });
    const { signatures } = await verify({
      message: await createMessage({ binary: new Uint8Array(Buffer.from(json.verification.payload)) }),
      signature: await readSignature({ armoredSignature: json.verification.signature }),
      verificationKeys,
      date: gateway.clock.now,
    });
    await expect(signatures[0]?.verified).resolves.toBe(true);
  }
});

test('files that an app writes and deletes are signed, unless it names the people', async () => {
  const written = await put('app.txt', app);
  expect(written.json.commit.verification).toMatchObject({ verified: true, reason: 'valid' });
  const { sha } = written.json.content;
  const deleted = await call(gateway, 'DELETE', `${repository}/contents/app.txt`, app, { message: 'Delete', sha });
  expect(deleted.json.commit.verification.reason).toBe('valid');
  for (const more of [{ author: person }, { committer: person }]) {
    const named = await put(`${Object.keys(more)[0]}.txt`, app, more);
    expect(named.json.commit.verification.reason).toBe('unsigned');
  }
});

test('a commit of a user is signed on a branch through the graph only', async () => {
  expect((await put('user.txt', user)).json.commit.verification.reason).toBe('unsigned');
  const commit = await commitOnBranch(demo.users.wren.classic_token, 'graph.txt');
  expect(commit).toMatchObject({ committer: { name: 'web-flow' }, signature: { isValid: true } });
  expect((await verificationOf(commit.oid)).reason).toBe('valid');
});

test('required signatures admit what the service signs', async () => {
  const rule = await call(gateway, 'POST', `${repository}/rulesets`, user, {
    name: 'Signed',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'required_signatures' }],
  });
  expect(rule.status).toBe(201);
  expect((await put('ruled.txt', app)).status).toBe(201);
  await commitOnBranch(demo.users.wren.classic_token, 'ruled-too.txt');
  expect((await put('refused.txt', user)).status).toBe(409);
  expect((await put('refused.txt', app, { author: person })).status).toBe(409);
});

test('nobody gets the login of the signing account', async () => {
  await put('login.txt', app);
  const { json } = await call(gateway, 'GET', '/users/web-flow');
  expect(json).toMatchObject({ login: 'web-flow', type: 'User' });
});
