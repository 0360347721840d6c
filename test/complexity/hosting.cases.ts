import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Context } from '../../src/context/context.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { SignatureVerifier } from '../../src/git/signatures/signature-verifier.ts';
import { loadRevisions } from '../../src/hosting/git-data/resolve-expression.ts';
import type { PreparedPush } from '../../src/hosting/pushes/prepared-push.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import { findWorkflowChanges } from '../../src/hosting/pushes/workflow-changes.ts';
import type { PatternMatcher } from '../../src/hosting/rules/pattern-matcher.ts';
import { RuleInputLoader } from '../../src/hosting/rules/rule-input-loader.ts';
import { scanSource } from '../../src/hosting/source-imports/scan-source.ts';
import { loadPayloadCommits } from '../../src/hosting/webhooks/payload-commits.ts';
import { folder, type GitWorld, SystemGit } from '../git/worlds.ts';
import { type Case, exported } from './complexity.ts';
import {
  blobOid,
  commitOf,
  deepTree,
  fileEntry,
  folderEntry,
  opened,
  stored,
  treeBomb,
  treeOf,
  wideTree,
} from './git-histories.ts';
import { requestBudget } from './request-budgets.ts';
import { userLimits } from './user-limits.ts';

const zero: Oid = '0'.repeat(40);
const place = { databaseId: 1, networkRootId: 1, ownerLogin: 'o', name: 'r', defaultBranch: 'main', isPrivate: false };
const workflowFolder = '.host';

/** Branches `refs/heads/<prefix><number>` at these commits. */
async function branch(world: GitWorld, repositoryId: number, prefix: string, oids: readonly Oid[]): Promise<void> {
  await sql`insert into git_ref (repository_id, name, oid)
    select ${repositoryId}::bigint, 'refs/heads/' || ${prefix}::text || at, oid
    from unnest(${oids.map(oid => Buffer.from(oid, 'hex'))}::bytea[]) with ordinality as w (oid, at)`.execute(
    world.database.sql,
  );
}

/** Root commits of which each has a workflow file of its own. */
function workflowRoots(count: number, from: number): { objects: GitObject[]; tips: Oid[] } {
  const objects: GitObject[] = [];
  const tips: Oid[] = [];
  for (let at = from; at < from + count; at++) {
    const workflows = treeOf([fileEntry('w.yml', blobOid(at))]);
    const host = treeOf([folderEntry('workflows', workflows.oid)]);
    const root = treeOf([folderEntry(workflowFolder, host.oid)]);
    const commit = commitOf(root.oid, [], at);
    objects.push(workflows, host, root, commit);
    tips.push(commit.oid);
  }
  return { objects, tips };
}

const pushes: Case[] = [
  {
    name: 'workflow files of many new branches beside many old ones',
    covers: exported('src/hosting/pushes/workflow-changes.ts', 'findWorkflowChanges'),
    sizes: { from: 100, largest: userLimits.pushCommands },
    prepare: async (size, world) => {
      const [old, added] = [workflowRoots(2_000, 0), workflowRoots(size, 2_000)];
      const repository = await stored(world, [...old.objects, ...added.objects]);
      await branch(world, repository.id, 'old', old.tips);
      const changes = added.tips.map((tip, at) => ({ ref: `refs/heads/b${at}`, old: undefined, new: tip }));
      return async () => {
        const found = await findWorkflowChanges(opened(world, repository), changes, workflowFolder);
        if (found.length !== size) throw new TypeError(`${found.length} of ${size} changes`);
      };
    },
  },
  {
    name: 'a push of many refs of which a rule refuses one',
    covers: exported('src/hosting/pushes/push.ts', 'push'),
    sizes: { from: 100, largest: userLimits.pushCommands },
    prepare: async (size, world) => {
      const tree = treeOf([]);
      const commits = [1, 2].map(number => commitOf(tree.oid, [], number));
      const repository = await stored(world, [tree, ...commits]);
      const context = { ...world.context, workBudget: requestBudget() };
      const pipeline = {
        rules: [
          async ({ changes }: PreparedPush) =>
            changes.slice(0, 1).map(({ ref }) => ({ ref, message: 'This one is refused.' })),
        ],
        events: [],
        deliveries: [],
      };
      let calls = 0;
      return async () => {
        const to = commits[calls++ % 2]?.oid ?? zero;
        const updates = Array.from({ length: size }, (_, at) => ({ ref: `refs/heads/b${at}`, to }));
        const request = { repositoryId: repository.id, updates, isPartial: true };
        const result = await push({ ...context, workBudget: requestBudget() }, request, pipeline);
        if (result.kind !== 'pushed' || result.rejected?.length !== 1) throw new TypeError('not one ref is refused');
      };
    },
  },
  {
    name: 'changed files, for rules, of a merge with many parents of many files each',
    covers: exported('src/hosting/rules/rule-input-loader.ts', 'RuleInputLoader'),
    sizes: { from: 25, largest: userLimits.parents },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => wideTree(200, { from: at * 200 }));
      const own = wideTree(200, { from: size * 200 });
      const parents = trees.map(({ top }, at) => commitOf(top, [], at));
      const merge = commitOf(
        own.top,
        parents.map(({ oid }) => oid),
        size,
      );
      const objects = [...trees, own].flatMap(one => one.objects);
      const repository = await stored(world, [...objects, ...parents, merge]);
      const change = { ref: 'refs/heads/main', old: parents[0]?.oid, new: merge.oid };
      return async () => {
        const transaction = { ...opened(world, repository), db: world.database.sql };
        const prepared = { repository: transaction, changes: [change], at: new Date(0), publicOrigin: undefined };
        // No rule of this case has a pattern.
        const matcher = {} as PatternMatcher;
        const input = new RuleInputLoader(prepared as unknown as PreparedPush, place, matcher).forRef(change);
        for await (const batch of input.newCommits()) await input.changedFiles(batch, { withSizes: true });
      };
    },
  },
];

const payloads: Case[] = (
  [
    ['tree bombs', (at: number) => treeBomb(40, at)],
    ['deep trees', (at: number) => deepTree(32, at)],
  ] as const
).map(([name, treeAt]) => ({
  name: `the commits of a delivery, each with ${name}`,
  covers: exported('src/hosting/webhooks/payload-commits.ts', 'loadPayloadCommits'),
  sizes: { steps: [1, 16, 256], maxCpuMs: 6_000 },
  prepare: async (size, world) => {
    const trees = Array.from({ length: size }, (_, at) => treeAt(at));
    const commits = trees.map(({ top }, at) => commitOf(top, [], at));
    const repository = await stored(world, [...trees.flatMap(({ objects }) => objects), ...commits]);
    const context = {
      read: world.database.read,
      origin: 'http://localhost',
      apiBaseUrl: 'http://localhost',
      isolation: undefined,
    };
    const wanted = commits.map(({ oid }): [Oid, boolean] => [oid, true]);
    return async () => {
      const found = await loadPayloadCommits(
        context as unknown as Context,
        { ...place, databaseId: repository.id },
        wanted,
      );
      if (found.length !== size) throw new TypeError(`${found.length} of ${size} commits`);
    };
  },
}));

const expressions: Case[] = (
  [
    ['names', (at: number) => `b${at}`],
    ['abbreviated ids', (at: number) => at.toString(16).padStart(7, '0')],
  ] as const
).map(([name, revisionAt]) => ({
  name: `the ${name} of many expressions of one request`,
  covers: exported('src/hosting/git-data/resolve-expression.ts', 'loadRevisions'),
  // A document of 256 KB has no more.
  sizes: { from: 100, largest: 10_000 },
  prepare: async (size, world) => {
    const repository = await stored(world, [treeOf([])]);
    const keys = Array.from({ length: size }, (_, at) => ({
      place: { ...place, databaseId: repository.id },
      revision: revisionAt(at),
    }));
    return () => loadRevisions({ read: world.database.read } as unknown as Context, keys);
  },
}));

/** A commit as an import admits it: of up to 16 MB, with many lines that continue its signature. */
function signedCommit(bytes: number): Buffer {
  const head = `tree ${zero}\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n`;
  const armor = '-----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----';
  return Buffer.from(`${head}gpgsig ${armor}\n\n${'line\n'.repeat(bytes / 5)}`);
}

const structureBytes = 16 * 1024 * 1024;

const imports: Case[] = [
  {
    name: 'the signature of a commit with a large payload',
    covers: exported('src/git/signatures/signature-verifier.ts', 'SignatureVerifier'),
    sizes: { from: 1024 * 1024, largest: structureBytes },
    prepare: size => {
      const content = signedCommit(size);
      const { oid } = createObject('commit', content);
      const input = { keys: [], emails: [], now: new Date(0) };
      return () => new SignatureVerifier().verify(content, oid, input as never);
    },
  },
  {
    name: 'a source with a commit of many header lines',
    covers: exported('src/hosting/source-imports/scan-source.ts', 'scanSource'),
    sizes: { from: 1024 * 1024, largest: structureBytes - 4_096 },
    prepare: size => {
      const source = bareSource();
      const tree = source.bytes(['hash-object', '-w', '-t', 'tree', '--stdin'], { input: '' }).toString().trim();
      const person = 'A <a@example.org> 1700000000 +0000';
      const content = `tree ${tree}\nauthor ${person}\ncommitter ${person}\ngpgsig a\n${' \n'.repeat((size - 512) / 2)}\nm\n`;
      const oid = source.bytes(['hash-object', '-w', '-t', 'commit', '--stdin'], { input: content }).toString().trim();
      source.run('update-ref', 'refs/heads/main', oid);
      return () => scan(source);
    },
  },
  {
    name: 'a source with many commits by different authors',
    covers: exported('src/hosting/source-imports/scan-source.ts', 'scanSource'),
    sizes: { from: 2_500, largest: 20_000 },
    prepare: size => {
      const source = bareSource();
      const lines = Array.from(
        { length: size },
        (_, at) =>
          `commit refs/heads/main\ncommitter A${at} <a${at}@example.org> ${1_700_000_000 + at} +0000\ndata 1\nm\n`,
      );
      source.bytes(['fast-import', '--quiet'], { input: lines.join('') });
      return () => scan(source);
    },
  },
];

/** `repository.git` in a folder of its own, as an import fetches it. */
function bareSource(): SystemGit {
  const path = join(folder(), 'repository.git');
  mkdirSync(path);
  const source = new SystemGit(path);
  source.run('init', '-q', '--bare', '-b', 'main');
  return source;
}

const scan = (source: SystemGit): Promise<unknown> =>
  scanSource({
    folder: join(source.path, '..'),
    limits: { maxFileBytes: 1 << 30, maxMemoryBytes: 2 ** 31 },
    signal: new AbortController().signal,
    workflowFolder: `${workflowFolder}/workflows/`,
  });

/**
 * Imports start git, which copies the page tables of this process: 60 ms in one slice with the 1.6 GB that the other cases leave in memory, so
 * they come first.
 */
export const hostingCases: Case[] = [...imports, ...pushes, ...payloads, ...expressions];
