import 'reflect-metadata';

/** Commits to one branch of repository 1 in the database at argv[2] until it is killed, and prints each id once it is acknowledged. */
const [{ inTransaction, openDatabase }, { applyChanges }, { encodeCommit }, { objectOf }, { readCommit }, { push }] =
  await Promise.all([
    import('../../dist/src/db/database.js' as string) as Promise<typeof import('../../src/db/database.ts')>,
    import('../../dist/src/git/apply-changes.js' as string) as Promise<typeof import('../../src/git/apply-changes.ts')>,
    import('../../dist/src/git/commit.js' as string) as Promise<typeof import('../../src/git/commit.ts')>,
    import('../../dist/src/git/object.js' as string) as Promise<typeof import('../../src/git/object.ts')>,
    import('../../dist/src/git/read-objects.js' as string) as Promise<typeof import('../../src/git/read-objects.ts')>,
    import('../../dist/src/hosting/pushes/push.js' as string) as Promise<
      typeof import('../../src/hosting/pushes/push.ts')
    >,
  ]);
const database = await openDatabase({ url: process.argv[2] ?? '', pool: 4, statementTimeout: 30_000 });
const context = {
  read: database.read,
  transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database, work),
  now: () => new Date(),
};
const person = { name: 'A', email: 'a@example.org', seconds: 1_700_000_000, zone: '+0000' };

async function write(writer: number): Promise<void> {
  for (let at = 0; ; at++) {
    const result = await push(context, {
      repositoryId: 1,
      updates: [
        {
          ref: 'refs/heads/main',
          to: async (head, repository) => {
            const blob = objectOf('blob', Buffer.from(`${process.pid} ${writer} ${at}`));
            const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
            const entry = { mode: '100644', oid: blob.oid };
            const made = await applyChanges(repository, base, [{ path: `by/${writer}/file`, entry }]);
            const message = `${process.pid} ${writer} ${at}`;
            const parents = head === undefined ? [] : [head];
            const content = encodeCommit({ tree: made.tree, parents, author: person, committer: person, message });
            const commit = objectOf('commit', content);
            return { to: commit.oid, objects: [blob, ...made.objects, commit] };
          },
        },
      ],
    });
    if (result.kind === 'pushed') process.stdout.write(`${result.changes[0]?.new}\n`);
  }
}

await Promise.all([0, 1, 2].map(write));
