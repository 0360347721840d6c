import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createObject } from '../../src/git/object.ts';
import type { AttackedGateway, HostileAnswer } from './attacked-gateway.ts';
import {
  commandsOf,
  deltaEntry,
  flush,
  objectEntry,
  packOf,
  pkt,
  pushOf,
  sendFetch,
  sendPush,
  sizeBytes,
} from './hand-made-packs.ts';
import {
  blobOf,
  changedBomb,
  commitOf,
  continued,
  crissCross,
  deepTree,
  entryOf,
  filesOf,
  type HostileObjects,
  nonce,
  octopus,
  oneCommit,
  repositoryOf,
  tagOf,
  treeBomb,
  treeOf,
  wideTree,
} from './hostile-objects.ts';
import { storeRepository } from './hostile-repository.ts';
import { type Shape, shape, stored, testShapes, times } from './loop-delay.ts';

const list = <T>(count: number, piece: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => piece(at));
const delimiter = Buffer.from('0001');

/** A push to a new repository of the attacker. */
const pushes = (name: string, build: () => Buffer, headers: Record<string, string> = {}): Shape => ({
  name,
  async prepare(gateway) {
    const { path } = await storeRepository(gateway, repositoryOf({}));
    const body = build();
    return () => sendPush(gateway, path, body, headers);
  },
});

/** A push of these objects. */
const pushesObjects = (name: string, build: () => HostileObjects): Shape =>
  pushes(name, () => pushOf(onOtherBranch(build())));

/** `main` exists in the repository that is pushed to. */
function onOtherBranch({ objects, refs }: HostileObjects): HostileObjects {
  const renamed = Object.entries(refs).map(([name, oid]) => [
    name === 'refs/heads/main' ? 'refs/heads/hostile' : name,
    oid,
  ]);
  return { objects, refs: Object.fromEntries(renamed) };
}

/** Requests for refs or packs of a public repository, anonymous, at the same time. */
const fetches = (
  name: string,
  build: () => Buffer,
  { version = 0, gzip = false, count = 4 }: { version?: 0 | 2; gzip?: boolean; count?: number } = {},
): Shape => ({
  name,
  prepare(gateway) {
    const body = gzip ? gzipSync(build()) : build();
    const headers = {
      ...(version === 2 ? { 'git-protocol': 'version=2' } : {}),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    };
    return () => times(count, () => sendFetch(gateway, 'harbor-lab/compass', body, headers));
  },
});

const command = (name: string, args: readonly string[]): Buffer =>
  Buffer.concat([pkt(`command=${name}\n`), delimiter, ...args.map(one => pkt(`${one}\n`)), flush]);

const oid = (): string => randomBytes(20).toString('hex');

const refsOf = (made: HostileObjects, count: number, name: (at: number) => string): HostileObjects => {
  const [target = ''] = Object.values(made.refs);
  return { ...made, refs: { ...made.refs, ...Object.fromEntries(list(count, at => [name(at), target])) } };
};

/** A delta that copies a base of 16 MB so many times, and its base. */
function deltaBomb(copies: number): Buffer {
  const base = createObject('blob', Buffer.alloc(16 * 1024 * 1024));
  const copy = Buffer.from([0b1111_0000, 0xff, 0xff, 0xff]);
  const delta = Buffer.concat([
    sizeBytes(base.content.length),
    sizeBytes(0xffffff * copies),
    ...list(copies, () => copy),
  ]);
  return packOf([objectEntry(base), deltaEntry(base.oid, delta)]);
}

/** So many trees of 2 MB, all but one of them a delta of some bytes. */
function treeDeltas(count: number): { pack: Buffer; oid: string } {
  const { objects } = wideTree(60_000);
  const [blob, tree] = objects;
  if (!blob || !tree) throw new Error('There is no tree.');
  const entries = [objectEntry(blob), objectEntry(tree)];
  const roots = [entryOf('base', tree)];
  for (let at = 0; at < count; at++) {
    const added = Buffer.concat([Buffer.from(`100644 z${at}\0`), Buffer.from(blob.oid, 'hex')]);
    const content = Buffer.concat([tree.content, added]);
    const whole = createObject('tree', content);
    const size = tree.content.length;
    const copies = list(Math.ceil(size / 0xffff), part => {
      const offset = part * 0xffff;
      const length = Math.min(0xffff, size - offset);
      return Buffer.from([
        0b1011_1111,
        offset & 255,
        (offset >> 8) & 255,
        (offset >> 16) & 255,
        (offset >> 24) & 255,
        length & 255,
        length >> 8,
      ]);
    });
    const delta = Buffer.concat([
      sizeBytes(size),
      sizeBytes(content.length),
      ...copies,
      Buffer.from([added.length]),
      added,
    ]);
    entries.push(deltaEntry(tree.oid, delta));
    roots.push(entryOf(`t${at}`, whole));
  }
  const root = treeOf(roots);
  const commit = commitOf({ tree: root.oid });
  return { pack: packOf([...entries, objectEntry(root), objectEntry(commit)]), oid: commit.oid };
}

/** So many blobs of some bytes in directories of a thousand. */
function tinyBlobs(count: number): HostileObjects {
  const base = nonce();
  const blobs = list(count, at => blobOf(`${base}${at}`));
  const trees = list(Math.ceil(count / 1_000), folder =>
    treeOf(blobs.slice(folder * 1_000, (folder + 1) * 1_000).map((blob, at) => entryOf(`f${at}`, blob))),
  );
  const root = treeOf(trees.map((tree, at) => entryOf(`d${at}`, tree)));
  const commit = commitOf({ tree: root.oid });
  return { objects: [...blobs, ...trees, root, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** Branches with a root commit of their own. */
function manyRoots(count: number): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce() });
  const roots = list(count, at => commitOf({ tree: tree.oid, message: `${at}\n`, at }));
  return {
    objects: [...objects, ...roots],
    refs: Object.fromEntries(roots.map((root, at) => [`refs/heads/root-${at}`, root.oid])),
  };
}

const clone = (path: string, oids: readonly string[], gateway: AttackedGateway): Promise<HostileAnswer> =>
  sendFetch(
    gateway,
    path,
    Buffer.concat([
      ...oids.map((one, at) => pkt(`want ${one}${at === 0 ? ' side-band-64k' : ''}\n`)),
      flush,
      pkt('done\n'),
    ]),
  );

/** A clone of everything, anonymous. */
const clones = (name: string, build: () => HostileObjects): Shape =>
  stored(name, build, (gateway, { path, refs }) => clone(path, [...new Set(Object.values(refs))], gateway));

await testShapes(
  'git',
  // biome-ignore format: a table is read by its lines.
  [
    // Requests for packs.
    fetches('400,000 flush packets', () => Buffer.from('0000'.repeat(400_000))),
    fetches('2,500,000 flush packets as gzip', () => Buffer.from('0000'.repeat(2_500_000)), { gzip: true, count: 8 }),
    fetches('2,500,000 delimiters as gzip, version 2', () => Buffer.from(`0014command=ls-refs\n${'0001'.repeat(2_400_000)}`), { gzip: true, version: 2 }),
    fetches('2,500,000 empty lines as gzip', () => Buffer.from('0004'.repeat(2_500_000)), { gzip: true, count: 8 }),
    fetches('zeros of 1 GB as gzip', () => Buffer.alloc(200_000_000), { gzip: true, count: 2 }),
    fetches('190,000 wanted ids', () =>
      Buffer.concat([...list(190_000, () => pkt(`want ${oid()}\n`)), flush, pkt('done\n')]),
    ),
    fetches('190,000 known ids', () => Buffer.concat([pkt(`want ${oid()}\n`), flush, ...list(180_000, () => pkt(`have ${oid()}\n`)), pkt('done\n')]), { count: 2 }),
    fetches('150,000 shallow ids', () => Buffer.concat([pkt(`want ${oid()}\n`),...list(150_000, () => pkt(`shallow ${oid()}\n`)), flush, pkt('done\n')]), { count: 2 }),
    fetches('capabilities of 65 KB', () => Buffer.concat([pkt(`want ${oid()} ${'a '.repeat(32_000)}\n`), flush])),
    fetches('filters of 65 KB', () => command('fetch', [`want ${oid()}`, `filter combine:${'tree:0+'.repeat(9_000)}`, 'done']), { version: 2 }),
    fetches('100,000 filters', () => command('fetch', [`want ${oid()}`, ...list(100_000, () => 'filter blob:none'), 'done']), { version: 2 }),
    fetches('100,000 arguments that do not exist', () => command('fetch', list(100_000, at => `argument-${at}`)), { version: 2 }),
    fetches('100,000 capabilities before the command', () => Buffer.concat([pkt('command=fetch\n'), ...list(100_000, () => pkt('agent=x\n')), delimiter, flush]), { version: 2 }),
    fetches('a length that is no number', () => Buffer.from('zzzz'.repeat(1_000_000))),
    stored(
      'ls-refs with 60,000 prefixes of 9,000 refs',
      () => refsOf(repositoryOf({}), 9_000, at => `refs/heads/branch-${at}`),
      (gateway, { path }) => {
        const body = command(
          'ls-refs',
          list(60_000, at => `ref-prefix refs/heads/branch-${at}x`),
        );
        return times(2, () => sendFetch(gateway, path, body, { 'git-protocol': 'version=2' }));
      },
    ),
    stored(
      'ls-refs with nested prefixes',
      () => refsOf(repositoryOf({}), 9_000, at => `refs/heads/${'x'.repeat(180)}${at}`),
      (gateway, { path }) => {
        const body = command(
          'ls-refs',
          list(190, at => `ref-prefix refs/heads/${'x'.repeat(at)}`),
        );
        return times(8, () => sendFetch(gateway, path, body, { 'git-protocol': 'version=2' }));
      },
    ),
    stored(
      'the advertisement of 20,000 refs',
      () => refsOf(repositoryOf({}), 20_000, at => `refs/tags/tag-${at}`),
      (gateway, { path }) => times(8, () => gateway.send('GET', `/${path}.git/info/refs?service=git-upload-pack`)),
    ),
    shape('Git-Protocol with blanks and versions', gateway =>
      times(8, () =>
        gateway.send('GET', '/harbor-lab/compass.git/info/refs?service=git-upload-pack', {
          headers: { 'git-protocol': `${'version=2:'.repeat(1_400)}${' '.repeat(100)}x` },
        }),
      ),
    ),
    shape('Basic credentials with colons and blanks', gateway =>
      times(8, () =>
        gateway.send('GET', '/harbor-lab/compass.git/info/refs?service=git-receive-pack', {
          headers: { authorization: `Basic${' '.repeat(15_000)}x` },
        }),
      ),
    ),
    shape('paths that look like those of git', gateway =>
      times(8, () => gateway.send('GET', `/${'a/'.repeat(7_000)}info/refs?${'service=git-upload-pack&'.repeat(20)}`)),
    ),
    // Clones of objects that came in before the limits.
    clones('a clone of 10^10 files', () => treeBomb()),
    clones('a clone of 150 directories of 1,000 files', () => tinyBlobs(20_000)),
    clones('a clone of a signature of 100,000 lines', () => oneCommit({ headers: continued('gpgsig', 100_000) })),
    clones('a clone of an octopus of 20,000 roots', () => octopus(20_000)),
    clones('a clone of 5,000 nested directories', () => deepTree(5_000)),
    clones('a clone of a directory of 400,000 files', () => wideTree(400_000)),
    // Pushes.
    pushesObjects('a push of 10^10 files', () => treeBomb()),
    pushesObjects('a push of two trees of 10^10 files', () => changedBomb()),
    pushesObjects('a push of 100,000 lines of a signature', () => oneCommit({ headers: continued('gpgsig', 100_000) })),
    pushesObjects('a push of 100,000 lines of a merged tag', () =>
      oneCommit({ headers: continued('mergetag', 100_000) }),
    ),
    pushesObjects('a push of a message of 15 MB', () => oneCommit({ message: 'x\n'.repeat(7_500_000) })),
    pushesObjects('a push of an octopus of 20,000 parents', () => octopus(20_000)),
    pushesObjects('a push of merges back and forth', () => crissCross(2_000)),
    pushesObjects('a push of 5,000 nested directories', () => deepTree(5_000)),
    pushesObjects('a push of a directory of 400,000 files', () => wideTree(400_000)),
    pushesObjects('a push of 60,000 tiny blobs', () => tinyBlobs(60_000)),
    pushesObjects('a push of 600 branches with roots of their own', () => manyRoots(600)),
    pushesObjects('a push of 9,000 tags', () => refsOf(repositoryOf({}), 9_000, at => `refs/tags/v${at}`)),
    pushesObjects('a push of refs of 124 parts', () =>
      refsOf(repositoryOf({}), 5_000, at => `refs/heads/${'a/'.repeat(110)}${at}`),
    ),
    pushesObjects('a push of tags of tags', () => {
      const made = repositoryOf({});
      const tags = list(2_000, at => tagOf(made.refs['refs/heads/main'] ?? '', { message: `${at}\n` }));
      return {
        objects: [...made.objects, ...tags],
        refs: Object.fromEntries(tags.map((tag, at) => [`refs/tags/t${at}`, tag.oid])),
      };
    }),
    pushesObjects('a push of .gitmodules and .gitattributes of blanks', () =>
      repositoryOf({
        '.gitmodules': `[submodule "a"]\n${' '.repeat(500_000)}x\n`,
        '.gitattributes': `a${' \r'.repeat(250_000)}\n`,
      }),
    ),
    {
      name: 'a push that deletes 9,000 refs',
      async prepare(gateway) {
        const { path, refs } = await storeRepository(
          gateway,
          refsOf(repositoryOf({}), 9_000, at => `refs/heads/branch-${at}`),
        );
        const body = commandsOf(
          Object.entries(refs)
            .filter(([ref]) => ref !== 'refs/heads/main')
            .map(([ref, from]) => ({ ref, from })),
        );
        return () => sendPush(gateway, path, body);
      },
    },
    pushes('a push of 99,000 commands', () =>
      commandsOf(list(99_000, at => ({ ref: `refs/heads/b${at}`, to: oid() }))),
    ),
    pushes('a push of 1,000 commands of 64 KB', () =>
      commandsOf(list(1_000, at => ({ ref: `refs/heads/${'x'.repeat(64_000)}${at}`, to: oid() }))),
    ),
    pushes('a push of 300,000 shallow lines', () =>
      Buffer.concat([
        ...list(300_000, () => pkt(`shallow ${oid()}`)),
        commandsOf([{ ref: 'refs/heads/a', to: oid() }]),
      ]),
    ),
    pushes('a push of 2,500,000 empty lines as gzip', () => gzipSync(Buffer.from('0004'.repeat(2_500_000))), {
      'content-encoding': 'gzip',
    }),
    pushes('a push of zeros of 200 MB as gzip', () => gzipSync(Buffer.concat([commandsOf([{ ref: 'refs/heads/a', to: oid() }]), Buffer.alloc(200_000_000)])), { 'content-encoding': 'gzip' }),
    pushes('a push of a delta of 3.2 GB', () =>
      Buffer.concat([commandsOf([{ ref: 'refs/heads/a', to: oid() }]), deltaBomb(200)]),
    ),
    pushes('a push of twenty trees of 2 MB as deltas', () => {
      const { pack, oid: to } = treeDeltas(20);
      return Buffer.concat([commandsOf([{ ref: 'refs/heads/a', to }]), pack]);
    }),
    pushes('a push of a pack that states 4 billion objects', () => {
      const pack = packOf([objectEntry(blobOf('x'))]);
      pack.writeUInt32BE(0xffff_ffff, 8);
      return Buffer.concat([commandsOf([{ ref: 'refs/heads/a', to: oid() }]), pack]);
    }),
  ],
  async gateway => {
    const { status, text } = await gateway.send('GET', '/harbor-lab/compass.git/info/refs?service=git-upload-pack');
    if (status !== 200) throw new Error(text);
    const answer = await sendFetch(gateway, 'harbor-lab/compass', command('ls-refs', []), {
      'git-protocol': 'version=2',
    });
    if (answer.status !== 200 || !answer.text.includes('refs/heads/main')) throw new Error(answer.text);
  },
);
