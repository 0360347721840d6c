import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { basic, demoOf } from '../harness/hosting.ts';
import { Clone, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

// The demo tokens of installations and workflows are valid for an hour.
const gateway = await testGateway({ now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, tomas, linh, okello } = demo.users;

const refs = (repository: string, service = 'git-upload-pack'): string =>
  `/${repository}.git/info/refs?service=${service}`;
const ask = (path: string, authorization?: string, init: RequestInit = {}) =>
  gateway.request(path, {
    ...init,
    headers: { ...(authorization === undefined ? {} : { authorization }), ...init.headers },
  });

describe('who', () => {
  test.each([
    ['classic', wren.classic_token],
    ['fine-grained', wren.fine_grained_token],
    ['OAuth', demo.tokens.oauth],
    ['user-to-server', demo.tokens.user_to_server],
    ['installation', demo.tokens.installation],
  ])('a %s token reads a private repository, with any user name', async (_kind, token) => {
    const clone = await Clone.of(remoteUrl(gateway.url, 'harbor-lab/ledger', token));
    expect(await clone.run('ls-files')).not.toBe('');
    const path = refs('harbor-lab/ledger');
    for (const header of [
      basic('anything', token),
      basic(token, 'x-oauth-basic'),
      basic(token, ''),
      `Bearer ${token}`,
    ]) {
      expect((await ask(path, header)).status).toBe(200);
    }
  });

  test('a workflow token has its own repository only', async () => {
    const header = basic('x', demo.tokens.workflow);
    expect((await ask(refs('harbor-lab/compass'), header)).status).toBe(200);
    expect((await ask(refs('harbor-lab/ledger'), header)).status).toBe(404);
  });

  test('a credential is asked for where one could help, and a private repository looks like none', async () => {
    const answers = await Promise.all(
      ['harbor-lab/ledger', 'harbor-lab/nothing', 'nobody/nothing'].map(name => ask(refs(name))),
    );
    for (const { status, headers, text } of answers) {
      expect([status, headers.get('www-authenticate'), text]).toEqual([
        401,
        expect.stringMatching(/^Basic realm=/),
        answers[0]?.text,
      ]);
    }
    const refused = await Promise.all(
      ['harbor-lab/ledger', 'harbor-lab/nothing'].map(name => ask(refs(name), basic('x', okello.classic_token))),
    );
    expect(refused.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([404, 'Repository not found.\n']));
    expect((await ask(refs('harbor-lab/compass'))).status).toBe(200);
    expect((await ask(refs('harbor-lab/compass', 'git-receive-pack'))).status).toBe(401);
  });

  test('the same permissions as over REST', async () => {
    const push = refs('harbor-lab/compass', 'git-receive-pack');
    const statusOf = async (path: string, token: string): Promise<[number, string]> => {
      const { status, text } = await ask(path, basic('x', token));
      return [status, status === 200 ? '' : text];
    };
    expect(await statusOf(push, wren.classic_token)).toEqual([200, '']);
    expect(await statusOf(push, juniper.classic_token)).toEqual([403, 'Must have push access to Repository.\n']);
    expect(await statusOf(push, tomas.fine_grained_token)).toEqual([
      403,
      'Resource not accessible by personal access token\n',
    ]);
    expect(await statusOf(push, demo.tokens.installation)).toEqual([200, '']);
    expect(await statusOf(refs('linh/attic', 'git-receive-pack'), linh.classic_token)).toEqual([
      403,
      'Repository was archived so is read-only.\n',
    ]);
    // Northgate enforces single sign-on.
    expect((await statusOf(refs('northgate/vault'), tomas.classic_token))[0]).toBe(403);
  });

  test('bad credentials', async () => {
    for (const header of [basic('wren', 'password'), basic('x', `${wren.classic_token.slice(0, -1)}_`), 'Bearer x']) {
      const { status, headers, text } = await ask(refs('harbor-lab/compass'), header);
      expect([status, headers.get('www-authenticate'), text]).toEqual([
        401,
        expect.stringContaining('Basic'),
        'Bad credentials\n',
      ]);
    }
    const { code, stderr } = await runGit(temporaryFolder(), [
      'clone',
      remoteUrl(gateway.url, 'harbor-lab/ledger', 'nothing'),
      '.',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 128, stderr: expect.stringContaining('Authentication failed') });
  });
});

describe('what is not served', () => {
  test('the dumb protocol and other services say so', async () => {
    for (const path of [
      '/harbor-lab/compass.git/info/refs',
      '/harbor-lab/compass.git/HEAD',
      '/harbor-lab/compass.git/objects/info/packs',
    ]) {
      const { status, headers, text } = await ask(path);
      expect([status, headers.get('content-type'), text]).toEqual([
        403,
        'text/plain; charset=utf-8',
        expect.stringContaining('smart HTTP'),
      ]);
    }
    expect((await ask(refs('harbor-lab/compass', 'git-upload-archive'))).text).toContain('no such service');
  });

  test('other methods, media types and encodings', async () => {
    const path = '/harbor-lab/compass.git/git-upload-pack';
    const type = { 'content-type': 'application/x-git-upload-pack-request' };
    expect((await ask(path)).status).toBe(405);
    expect((await ask(refs('harbor-lab/compass'), undefined, { method: 'POST' })).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    expect((await ask(path, undefined, { method: 'POST', body: '0000' })).status).toBe(415);
    const encoded = { ...type, 'content-encoding': 'br' };
    expect((await ask(path, undefined, { method: 'POST', headers: encoded, body: '0000' })).status).toBe(415);
    const broken = { ...type, 'content-encoding': 'gzip' };
    expect((await ask(path, undefined, { method: 'POST', headers: broken, body: '0000' })).status).toBe(400);
    expect((await ask(path, undefined, { method: 'POST', headers: type, body: '0000' })).status).toBe(200);
  });

  test('requests that are no wire format', async () => {
    const path = '/harbor-lab/compass.git/git-upload-pack';
    for (const body of ['zzzz', '0003', '0032want 1', '00ff', '0010want nothing']) {
      for (const version of ['', 'version=2']) {
        const headers = { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': version };
        expect((await ask(path, undefined, { method: 'POST', headers, body })).status).toBe(400);
      }
    }
  });

  test('documented paths stay as they are', async () => {
    const { status, headers } = await ask('/repos/harbor-lab/info/refs', undefined, { headers: { 'user-agent': 'x' } });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    const { json } = await ask('/repos/harbor-lab/git-upload-pack', undefined, { headers: { 'user-agent': 'x' } });
    expect(json.message).toBe('Not Found');
  });
});
