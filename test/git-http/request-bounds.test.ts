import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { basic, demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { commandLines, line, noOid, pack, sendPush } from './packs.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;
const world = await newWorld(gateway, token);
const head = await world.commit({ 'a.txt': 'one\n' });

const withEmptyPack = (commands: string): Buffer => Buffer.concat([Buffer.from(commands), pack()]);

function askFetch(
  { owner, name }: World,
  body: string | Buffer,
  { gzip = false, version = 2 }: { gzip?: boolean; version?: number } = {},
): Promise<Answer> {
  return gateway.request(`/${owner}/${name}.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': `version=${version}`,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    },
    body: new Uint8Array(gzip ? gzipSync(body) : Buffer.from(body)),
  });
}

describe('a request for refs or a pack', () => {
  test.each([0, 1, 2])('with an empty line is refused, version %i', async version => {
    const { status, text } = await askFetch(world, `${line('command=ls-refs\n')}0004`, { version });
    expect([status, text]).toEqual([400, expect.stringContaining('empty')]);
  });

  test.each(['0000', '0001'])('of more packets %s than lines that a fetch needs', async packet => {
    const { status, text } = await askFetch(world, packet.repeat(300_000));
    expect([status, text]).toEqual([413, expect.stringContaining('210000 lines')]);
  });

  test.each(['0004', '0000', '0032want '])('that unpacks to many times its size, of %s', async piece => {
    const body = piece.repeat(Math.floor(10_000_000 / piece.length));
    const { status, text } = await askFetch(world, body, { gzip: true });
    expect([status, text]).toEqual([413, expect.stringContaining('64 times')]);
  });

  test('of a usual size, compressed, is answered', async () => {
    const prefixes = Array.from({ length: 5_000 }, (_, at) =>
      line(`ref-prefix refs/heads/feature/number-${at}\n`),
    ).join('');
    const body = `${line('command=ls-refs\n')}0001${prefixes}${line('ref-prefix refs/heads/main\n')}0000`;
    const { status, text } = await askFetch(world, body, { gzip: true });
    expect([status, text]).toEqual([200, `${line(`${head} refs/heads/main\n`)}0000`]);
  });

  test('with a damaged gzip body is 400', async () => {
    const { owner, name } = world;
    const { status } = await gateway.request(`/${owner}/${name}.git/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-upload-pack-request', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(line('command=ls-refs\n')).subarray(0, -9)),
    });
    expect(status).toBe(400);
  });
});

describe('prefixes of ls-refs', () => {
  test('match as git matches them, whatever they begin with', async () => {
    const place = await newWorld(gateway, token);
    const names = [
      'refs/heads/a',
      'refs/heads/a-b',
      'refs/heads/ab/c',
      'refs/heads/b',
      'refs/heads/é',
      'refs/tags/a',
      'refs/x/y',
    ];
    const oid = await place.commit({ 'a.txt': 'one\n' });
    await sendPush(gateway, place, token, withEmptyPack(commandLines(names.map(ref => ({ ref, to: oid })))));
    const all = [...names, 'refs/heads/main'].sort();
    const asked = async (prefixes: readonly string[]): Promise<string[]> => {
      const lines = prefixes.map(prefix => line(`ref-prefix ${prefix}\n`)).join('');
      const { text } = await askFetch(place, `${line('command=ls-refs\n')}0001${lines}0000`);
      return [...text.matchAll(/ (refs\/[^\n]*|HEAD)\n/g)].map(([, name = '']) => name).sort();
    };
    const random = (at: number): string => all[(at * 7) % all.length]?.slice(0, 1 + ((at * 13) % 16)) ?? '';
    const lists = Array.from({ length: 40 }, (_, at) =>
      Array.from({ length: 1 + (at % 6) }, (_, n) => random(at * 6 + n)),
    );
    for (const prefixes of [
      ['refs/heads/a', 'refs/heads/a'],
      ['refs/', 'refs/heads/a'],
      ['z'],
      ['x'.repeat(300)],
      ...lists,
    ]) {
      expect({ prefixes, found: await asked(prefixes) }).toEqual({
        prefixes,
        found: [...all, 'HEAD'].filter(name => prefixes.some(prefix => name.startsWith(prefix))).sort(),
      });
    }
    expect(await asked(['', 'refs/tags/'])).toEqual(['HEAD', ...all]);
  });

  test('of more than 10,000 are a hint that is not taken', async () => {
    const lines = line('ref-prefix refs/none/\n').repeat(10_001);
    const { text } = await askFetch(world, `${line('command=ls-refs\n')}0001${lines}0000`);
    expect(text).toContain('refs/heads/main');
  });
});

describe('what precedes a pack', () => {
  test.each<[string, string]>([
    ['commands with names of 64,000 letters', line(`${noOid} ${head} refs/heads/${'x'.repeat(64_000)}`).repeat(80)],
    ['shallow lines', line(`shallow ${head}`).repeat(90_000)],
    ['commands without end', line(`${noOid} ${head} refs/heads/one`).repeat(50_000)],
  ])('has at most 4 MB: %s', async (_name, commands) => {
    for (const gzip of [false, true]) {
      const body = gzip ? gzipSync(`${commands}0000`) : `${commands}0000`;
      const { status, text } = await sendPush(gateway, world, token, body, gzip ? { 'content-encoding': 'gzip' } : {});
      expect([status, text]).toEqual([413, expect.stringMatching(/more than (4 MB|64 times)/)]);
    }
  });

  test('a probe has nothing behind it', async () => {
    const { status } = await sendPush(gateway, world, token, `0000${'x'.repeat(100_000)}`);
    expect(status).toBe(400);
    expect((await sendPush(gateway, world, token, '0000')).status).toBe(200);
  });

  test('a name of more than 255 bytes, and one that is named twice, are refused and the others made', async () => {
    const long = `refs/heads/${'x'.repeat(250)}`;
    const refs = [long, 'refs/heads/twice', 'refs/heads/fine', 'refs/heads/twice'];
    const body = withEmptyPack(commandLines(refs.map(ref => ({ ref, to: head }))));
    const { status, text } = await sendPush(gateway, world, token, body);
    expect(status).toBe(200);
    expect(text).toContain(`ng ${long} funny refname`);
    expect(text.split('ng refs/heads/twice the push names this ref twice')).toHaveLength(3);
    expect(text).toContain('ok refs/heads/fine');
  });

  test('push options may be empty', async () => {
    const commands = commandLines([{ ref: 'refs/heads/with-options', to: head }], 'push-options');
    const { text } = await sendPush(gateway, world, token, withEmptyPack(`${commands}00040000`));
    expect(text).toContain('ok refs/heads/with-options');
  });

  test('a push without a credential is 401 before anything is read', async () => {
    const { owner, name } = world;
    const { status } = await gateway.request(`/${owner}/${name}.git/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: basic('x', 'none') },
      body: commandLines([{ ref: 'refs/heads/x', to: head }]),
    });
    expect(status).toBe(401);
  });
});
