import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readSshKey } from '../../../src/hosting/ssh-keys/read-ssh-key.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { sshKeyLine } from '../../harness/ssh-key-line.ts';

const gateway = await testGateway({ data: 'demo' });
const demo = await demoOf(gateway);
const asWren = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${demo.users.wren.classic_token}`, body);
const asJuniper = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${demo.users.juniper.classic_token}`, body);

const part = (key: KeyObject, name: string): Buffer =>
  Buffer.from((key.export({ format: 'jwk' }) as Record<string, string>)[name] ?? '', 'base64url');
const positive = (bytes: Buffer): Buffer => ((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);

function rsa(modulusLength: number): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return sshKeyLine('ssh-rsa', positive(part(publicKey, 'e')), positive(part(publicKey, 'n')));
}

function ecdsa(bits: 256 | 384 | 521): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: `P-${bits}` });
  const point = Buffer.concat([Buffer.from([4]), part(publicKey, 'x'), part(publicKey, 'y')]);
  return sshKeyLine(`ecdsa-sha2-nistp${bits}`, `nistp${bits}`, point);
}

const ed25519 = (): string => sshKeyLine('ssh-ed25519', randomBytes(32));
const problem = (message: string) => ({ resource: 'PublicKey', field: 'key', code: 'custom', message });

describe('formats', () => {
  test.each([
    ['Ed25519', ed25519()],
    ['RSA, 2048 bits', rsa(2048)],
    ['ECDSA, P-256', ecdsa(256)],
    ['ECDSA, P-384', ecdsa(384)],
    ['ECDSA, P-521', ecdsa(521)],
    ['Ed25519 on a token', sshKeyLine('sk-ssh-ed25519@openssh.com', randomBytes(32), 'ssh:')],
  ])('%s is accepted, with a comment', (_, key) => {
    expect(readSshKey(`${key} wren@laptop\n`)).toEqual({
      text: key,
      fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
    });
  });

  test.each([
    ['weak', rsa(1024)],
    ['unsupported', sshKeyLine('ssh-dss', randomBytes(128), randomBytes(20), randomBytes(128), randomBytes(128))],
    ['unsupported', sshKeyLine('ssh-unknown', randomBytes(32))],
    ['invalid', sshKeyLine('ssh-ed25519', randomBytes(31))],
    ['invalid', `${ed25519()}AAAA`],
    ['invalid', sshKeyLine('ecdsa-sha2-nistp256', 'nistp384', randomBytes(65))],
    ['invalid', ed25519().replace('ssh-ed25519', 'ssh-rsa')],
    ['invalid', `command="x" ${ed25519()}`.replace('command', 'ssh-rsa')],
    ['invalid', `${ed25519()}\n${ed25519()}`],
    ['invalid', 'ssh-ed25519'],
    ['invalid', ''],
    ['private', '-----BEGIN OPENSSH PRIVATE KEY-----\n'],
  ])('%s: %s', (expected, key) => {
    expect(readSshKey(key)).toBe(expected);
  });
});

describe('keys of a user', () => {
  test('are created, read, listed and deleted; others see them without titles', async () => {
    const key = ed25519();
    const created = await asWren('POST', '/user/keys', { title: 'Laptop', key: `${key} comment` });
    expect([created.status, created.json]).toEqual([
      201,
      {
        id: expect.any(Number),
        key,
        url: `${gateway.url}/user/keys/${created.json.id}`,
        title: 'Laptop',
        created_at: expect.any(String),
        verified: true,
        read_only: false,
        last_used: null,
      },
    ]);
    const path = `/user/keys/${created.json.id}`;
    expect((await asWren('GET', path)).json).toEqual(created.json);
    expect((await asWren('GET', '/user/keys')).json).toContainEqual(created.json);
    const { json: listed } = await call(gateway, 'GET', '/users/wren/keys');
    expect(listed).toContainEqual({ id: created.json.id, key, created_at: expect.any(String), last_used: null });
    expect((await call(gateway, 'GET', '/users/nobody-here/keys')).status).toBe(404);
    // Without the scope.
    expect((await asJuniper('GET', path)).status).toBe(403);
    expect((await asWren('DELETE', path)).status).toBe(204);
    expect((await asWren('DELETE', path)).status).toBe(404);
    expect((await asWren('GET', path)).status).toBe(404);
  });

  test('a key without a title has its comment', async () => {
    expect((await asWren('POST', '/user/keys', { key: `${ed25519()} wren on a boat` })).json.title).toBe(
      'wren on a boat',
    );
  });

  test('one key belongs to one account or repository, also when two ask at once', async () => {
    const key = ed25519();
    const deploy = (name: string) => asWren('POST', `/repos/${name}/keys`, { key, title: 'CI' });
    const answers = await Promise.all([
      asWren('POST', '/user/keys', { key }),
      deploy('harbor-lab/compass'),
      deploy('harbor-lab/ledger'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.json.errors).toEqual([problem('key is already in use')]);
    // A comment makes it no other key.
    expect((await asWren('POST', '/user/keys', { key: `${key} other` })).status).toBe(422);
  });

  test('a weak key and a missing one are refused', async () => {
    const weak = await asWren('POST', '/user/keys', { key: rsa(1024) });
    expect([weak.status, weak.json.errors]).toEqual([
      422,
      [problem('key is too short. RSA keys have at least 2048 bits')],
    ]);
    expect((await asWren('POST', '/user/keys', {})).status).toBe(422);
  });
});

describe('deploy keys', () => {
  test('are of administrators', async () => {
    const key = ed25519();
    const source = '/repos/harbor-lab/compass/keys';
    const created = await asWren('POST', source, { title: 'CI', key, read_only: true });
    expect([created.status, created.json]).toEqual([
      201,
      expect.objectContaining({
        key,
        title: 'CI',
        read_only: true,
        added_by: 'wren',
        enabled: true,
        url: `${gateway.url}${source}/${created.json.id}`,
      }),
    ]);
    const path = `${source}/${created.json.id}`;
    expect((await asWren('GET', path)).json).toEqual(created.json);
    expect((await asWren('GET', source)).json).toContainEqual(created.json);
    expect((await asJuniper('GET', source)).status).toBe(403);
    expect((await asJuniper('DELETE', path)).status).toBe(403);
    expect((await asWren('GET', `/repos/harbor-lab/ledger/keys/${created.json.id}`)).status).toBe(404);
    expect((await asWren('GET', `/user/keys/${created.json.id}`)).status).toBe(404);
    expect((await asWren('DELETE', path)).status).toBe(204);
  });
});

test('the graph has the same keys, for those who may read them', async () => {
  const repositoryId = await globalIdOf(gateway, 'harbor-lab/compass');
  const hosting = (query: string, variables: object, token: string = demo.users.wren.classic_token) =>
    graphql(gateway, query, token, variables as Record<string, unknown>);
  const { data } = await hosting(
    `mutation($key: String!, $other: String!, $id: ID!) {
      addSshKey(input: { key: $key }) { sshKey { id fingerprint isReadOnly } }
      addDeployKey(input: { repositoryId: $id, key: $other, isReadOnly: true }) { sshKey { id isReadOnly } } }`,
    { key: ed25519(), other: ed25519(), id: repositoryId },
  );
  const [own, deploy] = [data.addSshKey.sshKey.id, data.addDeployKey.sshKey.id];
  const read = `query($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ... on SshKey { id } }
    node(id: $id) { ... on Repository { sshKeys(first: 9) { nodes { id } } } }
    user(login: "wren") { sshKeys(first: 9) { nodes { id } } } }`;
  const variables = { ids: [own, deploy], id: repositoryId };
  expect((await hosting(read, variables)).data).toMatchObject({
    nodes: [{ id: own }, { id: deploy }],
    node: { sshKeys: { nodes: expect.arrayContaining([{ id: deploy }]) } },
    user: { sshKeys: { nodes: expect.arrayContaining([{ id: own }]) } },
  });
  expect((await hosting(read, variables, demo.users.juniper.classic_token)).data).toEqual({
    nodes: [null, null],
    node: { sshKeys: null },
    user: { sshKeys: null },
  });
  const removed = await hosting(
    `mutation($own: ID!, $deploy: ID!, $id: ID!) { removeSshKey(input: { sshKeyId: $own }) { deletedId }
      removeDeployKey(input: { repositoryId: $id, sshKeyId: $deploy }) { deletedId } }`,
    { own, deploy, id: repositoryId },
  );
  expect(removed.errors).toBeUndefined();
});
