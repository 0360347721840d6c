import pg from 'pg';
import { builtGit, person } from './git-world.ts';

const folder = 'packages/core/src';

/** A file of 10 KB, three folders deep. */
export const contentsFile = { repository: 'bench-contents/project', path: `${folder}/file-7.ts`, size: 10 * 1024 };

/** Inserts a public repository of some files, and the table in which a hand-written server would store them. */
export async function prepareContents(url: string): Promise<void> {
  const git = await builtGit();
  const database = await git.openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(`
      with owner as (insert into account (kind, login, created_at, updated_at)
        values ('organization', 'bench-contents', now(), now()) returning id)
      insert into repository (owner_id, name, created_at, updated_at)
      select owner.id, 'project', now(), now() from owner returning id`);
    const repositoryId = Number(rows[0]?.id);
    const files = Array.from({ length: 20 }, (_, at) => ({
      path: `${folder}/file-${at}.ts`,
      blob: git.createObject(
        'blob',
        Buffer.from(`export const line${at} = 1;\n`.repeat(500).slice(0, contentsFile.size)),
      ),
    }));
    let tip = '';
    const context = {
      ...git.unlimitedSource(database.read),
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => new Date(),
    };
    await git.push(context, {
      repositoryId,
      updates: [
        {
          ref: 'refs/heads/main',
          to: async (_, repository) => {
            const changes = files.map(({ path, blob }) => ({ path, entry: { mode: git.modes.file, oid: blob.oid } }));
            const made = await git.applyChanges(repository, undefined, changes);
            const people = { author: person, committer: person };
            const content = git.encodeCommit({ tree: made.tree, parents: [], ...people, message: 'All' });
            const commit = git.createObject('commit', content);
            tip = commit.oid;
            return { to: tip, objects: [...files.map(({ blob }) => blob), ...made.objects, commit] };
          },
        },
      ],
    });
    await client.query(`create table bench_file (repository_id bigint, commit bytea, path text, sha text, size int,
      content bytea, modified timestamptz, primary key (repository_id, commit, path))`);
    for (const { path, blob } of files) {
      await client.query('insert into bench_file values ($1, $2, $3, $4, $5, $6, to_timestamp($7))', [
        repositoryId,
        Buffer.from(tip, 'hex'),
        path,
        blob.oid,
        blob.content.length,
        blob.content,
        person.seconds,
      ]);
    }
    await client.query('vacuum analyze bench_file, repository, account, git_ref, git_object');
  } finally {
    await client.end();
    await database.close();
  }
}
