import { describe, expect, test } from '@jest/globals';
import { createTar, createTarGz } from '../../src/git/archives/tar.ts';
import { createZip } from '../../src/git/archives/zip.ts';
import { encodeCommit } from '../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { LoadedObject } from '../../src/git/object-cache.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import { encodeTree, modes } from '../../src/git/tree.ts';
import { WorkBudget, type WorkLimits } from '../../src/workers/work-budget.ts';
import { author, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const none = Number.POSITIVE_INFINITY;
const formats = { tar: createTar, 'tar.gz': createTarGz, zip: createZip };

const blob = (content: string | Buffer): GitObject => createObject('blob', Buffer.from(content as string));
const treeOf = (entries: readonly (readonly [string, GitObject])[]): GitObject =>
  createObject(
    'tree',
    encodeTree(
      entries.map(([name, { oid, type }]) => ({
        mode: type === 'tree' ? modes.directory : modes.file,
        name: Buffer.from(name),
        oid,
      })),
    ),
  );
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** A commit of this tree. `objects`: the tree and all below it. */
async function stored(
  tree: GitObject,
  objects: readonly GitObject[],
): Promise<{ repository: Repository; commit: Oid }> {
  const repository = world.repository();
  const content = encodeCommit({ tree: tree.oid, parents: [], author, committer: author, message: 'm\n' });
  const commit = createObject('commit', content);
  await world.store(repository, [...objects, commit]);
  return { repository, commit: commit.oid };
}

/** Reads an archive with these limits. Returns the bytes before the error. */
async function read(
  { repository, commit }: { repository: Repository; commit: Oid },
  create: typeof createTar,
  limits: Partial<WorkLimits>,
): Promise<{ bytes: number; statements: number; error: unknown }> {
  let statements = 0;
  const counting: Repository['read'] = query => {
    statements++;
    return world.database.read(query);
  };
  const workBudget = new WorkBudget({ steps: none, objects: none, bytes: none, milliseconds: none, ...limits });
  const limited = { ...openRepository({ read: counting, workBudget }, repository.id), cache: repository.cache };
  let bytes = 0;
  try {
    for await (const piece of create(limited, { commit, prefix: 'x/' })) bytes += piece.length;
  } catch (error) {
    return { bytes, statements, error };
  }
  return { bytes, statements, error: undefined };
}

describe.each(Object.entries(formats))('%s', (_format, create) => {
  test('12 objects that expand to 10^10 files are refused before the first byte, after as many reads', async () => {
    const objects = [blob('x')];
    for (let level = 0; level < 10; level++) {
      const below = objects.at(-1) as GitObject;
      objects.push(treeOf(times(10, at => [`f${at}`, below])));
    }
    const found = await read(await stored(objects.at(-1) as GitObject, objects), create, { objects: 100_000 });
    expect(found).toMatchObject({ bytes: 0, error: { limit: 'objects' } });
    expect(found.statements).toBeLessThan(15);
  });

  test('a tree of empty directories is refused, although no archive has an entry of it', async () => {
    const objects = [treeOf([])];
    for (let level = 0; level < 8; level++) {
      const below = objects.at(-1) as GitObject;
      objects.push(treeOf(times(10, at => [`f${at}`, below])));
    }
    const found = await read(await stored(objects.at(-1) as GitObject, objects), create, { objects: 100_000 });
    expect(found).toMatchObject({ bytes: 0, error: { limit: 'objects' } });
  });

  test('long paths count by their bytes, before the first byte', async () => {
    const files = treeOf(times(1_000, at => [`${at}`.padStart(250, 'n'), blob('x')]));
    const objects = [blob('x'), files];
    for (let level = 0; level < 10; level++) objects.push(treeOf([['d'.repeat(250), objects.at(-1) as GitObject]]));
    const one = await stored(objects.at(-1) as GitObject, objects);
    expect(await read(one, create, { bytes: 2_000_000 })).toMatchObject({ bytes: 0, error: { limit: 'bytes' } });
    expect(await read(one, create, { bytes: 4_000_000 })).toMatchObject({ error: undefined });
  });

  test('contents count as often as they occur', async () => {
    const large = blob(Buffer.alloc(900_000));
    const tree = treeOf(times(300, at => [`f${at}`, large]));
    const found = await read(await stored(tree, [large, tree]), create, { bytes: 20_000_000 });
    expect(found).toMatchObject({ error: { limit: 'bytes' } });
  });

  test('so do contents that placeholders expand', async () => {
    const [attributes, file] = [blob('* export-subst\n'), blob('$Format:%H%H%H%H%H%H$'.repeat(30_000))];
    const tree = treeOf([['.gitattributes', attributes], ...times(20, at => [`f${at}`, file] as const)]);
    const found = await read(await stored(tree, [attributes, file, tree]), create, { bytes: 25_000_000 });
    expect(found).toMatchObject({ error: { limit: 'bytes' } });
  });

  test('rules of attributes cost steps by the length of pattern and name', async () => {
    const rules = times(120, at => `${'*a'.repeat(900)}${at} export-ignore text ident eol=crlf\n`).join('');
    const attributes = blob(rules);
    const tree = treeOf([
      ['.gitattributes', attributes],
      ...times(40, at => [`${at}`.padStart(253, 'a'), blob('x')] as const),
    ]);
    const one = await stored(tree, [attributes, blob('x'), tree]);
    expect(await read(one, create, { steps: 1_000_000 })).toMatchObject({ error: { limit: 'steps' } });
  });

  test('usual rules of attributes cost a step each', async () => {
    const attributes = blob(times(100, at => `/docs/part-${at}/*.md export-ignore\n`).join(''));
    const tree = treeOf([['.gitattributes', attributes], ...times(1_000, at => [`file-${at}.ts`, blob('x')] as const)]);
    const one = await stored(tree, [attributes, blob('x'), tree]);
    expect((await read(one, create, { steps: 150_000 })).error).toBeUndefined();
  });

  test('a .gitattributes file that is too large to be read is an error: the archive would differ', async () => {
    const attributes = blob('a'.repeat(1024 * 1024 + 1));
    const tree = treeOf([['.gitattributes', attributes]]);
    const found = await read(await stored(tree, [attributes, tree]), create, {});
    expect(found).toMatchObject({ error: { code: 'too-large' } });
  });
});

test('more than 2,048 levels of directories are refused, as by git; fewer take few steps', async () => {
  const chain = (levels: number): GitObject[] => {
    const objects = [treeOf([['f', blob('x')]])];
    for (let level = 0; level < levels; level++) objects.push(treeOf([['d', objects.at(-1) as GitObject]]));
    return [blob('x'), ...objects];
  };
  const [deep, allowed] = [chain(2_049), chain(200)];
  const one = await stored(deep.at(-1) as GitObject, deep);
  // Read from memory: one statement for each level would take the time of the test.
  for (const object of deep) one.repository.cache.putObject(one.repository.id, new LoadedObject(object));
  expect(await read(one, createTar, {})).toMatchObject({ bytes: 0, error: { code: 'too-deep' } });
  const passed = await read(await stored(allowed.at(-1) as GitObject, allowed), createTar, { steps: 10_000 });
  expect(passed.error).toBeUndefined();
});

test('directories that share a .gitattributes file parse it once', async () => {
  const attributes = blob(times(5_000, at => `name-${at} export-ignore\n`).join(''));
  const inner = treeOf([
    ['.gitattributes', attributes],
    ['file', blob('x')],
  ]);
  const tree = treeOf(times(500, at => [`d${at}`, inner]));
  const one = await stored(tree, [attributes, blob('x'), inner, tree]);
  // Each directory compares its two files with 5,000 rules; parsing takes 20,000 steps once.
  expect((await read(one, createTar, { steps: 5_100_000 })).error).toBeUndefined();
});

test('12,000 rules and lines of 2,047 and 2,048 characters count as in git', async () => {
  const git = SystemGit.create();
  const line = (name: string, length: number): string => `${`${name} export-ignore`.padEnd(length)}\n`;
  const attributes = [
    'first export-ignore\n',
    ...times(12_000, at => `other-${at} export-ignore\n`),
    'last export-ignore\n',
    line('shorter', 2_047),
    line('longer', 2_048),
  ].join('');
  const file = (path: string, content: string): string =>
    `M 100644 inline ${path}\ndata ${content.length}\n${content}\n`;
  const files = ['first', 'last', 'shorter', 'longer', 'other-7', 'kept'].map(name => file(name, name));
  git.bytes(['fast-import', '--quiet', '--done'], {
    input: `commit refs/heads/main\ncommitter C <c@example.org> 1700000001 +0200\ndata 1\nx\n${file('.gitattributes', attributes)}${files.join('')}done\n`,
  });
  // An import refuses a line of 2,048 characters, as git fsck does.
  const objects = git
    .run('rev-list', '--objects', '--no-object-names', 'main')
    .split('\n')
    .map(oid => {
      const type = git.run('cat-file', '-t', oid) as GitObject['type'];
      return createObject(type, git.bytes(['cat-file', type, oid]));
    });
  const repository = world.repository();
  await world.store(repository, objects);
  const commit = git.run('rev-parse', 'main');
  const pieces: Buffer[] = [];
  for await (const piece of createTar(repository, { commit, prefix: 'x/' })) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(git.bytes(['archive', '--format=tar', '--prefix=x/', commit]))).toBe(true);
});
