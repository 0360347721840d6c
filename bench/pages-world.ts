import { rmSync } from 'node:fs';
import pg from 'pg';
import { builtGit, emptyRepository, systemGit } from './git-world.ts';

/** A public repository of 10,000 files: 90 directories of 100, and one of 1,000. */
export const largeRepository = 'bench-pages/large';

const commits = 200;
const branches = 40;

/** Imports the repository, and indexes its commits as the jobs of a push do. Returns the ids of two commits, 20 apart. */
export async function preparePages(url: string): Promise<{ first: string; last: string }> {
  const folder = emptyRepository();
  const git = await builtGit();
  const database = await git.openDatabase({ url, poolSize: 4, statementTimeoutMs: 60_000 });
  const client = new pg.Client(url);
  await client.connect();
  try {
    systemGit(folder, ['fast-import', '--quiet', '--done'], commitStream());
    const [login, name] = largeRepository.split('/');
    const { rows } = await client.query<{ id: string }>(
      `with owner as (insert into account (kind, login, created_at, updated_at)
        values ('organization', $1, now(), now()) returning id)
      insert into repository (owner_id, name, created_at, updated_at, pushed_at)
      select owner.id, $2, now(), now(), now() from owner returning id`,
      [login, name],
    );
    const repositoryId = Number(rows[0]?.id);
    const context = {
      database,
      ...git.unlimitedSource(database.read),
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => new Date(),
    };
    await git.importRepository(context, { repositoryId, path: folder });
    while ((await git.indexCommits(context, repositoryId)) > 0);
    await client.query('vacuum analyze');
    const [first = '', last = ''] = ['main~20', 'main'].map(one => systemGit(folder, ['rev-parse', one]));
    return { first, last };
  } finally {
    await client.end();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One commit with all files, then commits of three files each; branches and tags lie on the newest ones. */
function commitStream(): string {
  const files = [
    ...Array.from({ length: 9_000 }, (_, at) => `packages/part-${at % 90}/file-${Math.floor(at / 90)}.ts`),
    ...Array.from({ length: 998 }, (_, at) => `wide/file-${at}.ts`),
    'README.md',
    'package.json',
  ];
  const stream: string[] = [];
  const write = (path: string, text: string): number =>
    stream.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`);
  const source = (at: number): string =>
    Array.from({ length: 60 }, (_, line) => `export const value${line} = { at: ${at}, name: 'line ${line}' };\n`).join(
      '',
    );
  for (let at = 0; at < commits; at++) {
    stream.push(
      `commit refs/heads/main\nmark :${at + 1}\ncommitter C <c@example.org> ${1_700_000_000 + at * 600} +0000`,
    );
    stream.push('data 16\nChange of values', ...(at > 0 ? [`from :${at}`] : []));
    if (at === 0) files.forEach((path, one) => void write(path, path === 'README.md' ? readme : source(one)));
    else for (let one = 0; one < 3; one++) write(files[(at * 7919 + one * 3571) % 9_998] ?? '', source(at + one));
    stream.push('');
  }
  for (let at = 0; at < branches; at++) {
    stream.push(
      `reset refs/heads/topic-${at}\nfrom :${commits - at}\n`,
      `reset refs/tags/v1.${at}\nfrom :${commits - at}\n`,
    );
  }
  stream.push('done\n');
  return stream.join('\n');
}

const readme = `# Large\n\n${'A paragraph with **strong** words and [a link](https://example.org/).\n\n'.repeat(40)}`;
