import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { exportRepository } from '../../../src/git/export-repository.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { randomHistory } from '../../git/random-history.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import { gitServer } from '../../harness/git-server.ts';
import { call, graphql } from '../../harness/hosting.ts';
import { importWorld } from './import-world.ts';

const world = await importWorld();
const { ask, settled, target, gateway } = world;
const retired = await testGateway({ beside: gateway });

const history = randomHistory(120, 11);
const refsOf = (git: SystemGit): string[] => git.lines('for-each-ref', '--format=%(objectname) %(refname)');

/** Three commits by two people, one of them signed; a signed tag and a tag of that tag. */
function signedSource(): SystemGit {
  const git = SystemGit.create();
  const bob = { GIT_AUTHOR_NAME: 'Bob', GIT_AUTHOR_EMAIL: 'bob@old.example' };
  git.run('commit', '-q', '--allow-empty', '-m', 'By nobody special');
  git.bytes(['commit', '-q', '--allow-empty', '-m', 'By Bob'], { env: bob });
  const plain = git.bytes(['cat-file', 'commit', 'HEAD']).toString();
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n';
  const signed = plain.replace('\n\n', `\n${signature}\n`);
  const oid = git.bytes(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: signed }).toString().trim();
  git.run('update-ref', 'refs/heads/main', oid);
  git.run('commit', '-q', '--allow-empty', '-m', 'After it');
  git.run('tag', '-a', 'v1', '-m', 'One\n\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----');
  git.run('tag', '-a', 'v1-again', 'v1', '-m', 'A tag of a tag');
  return git;
}

/** A repository of one file with this content. */
function sourceOf(path: string, content: string | Buffer): SystemGit {
  const git = SystemGit.create();
  const blob = git.bytes(['hash-object', '-w', '--stdin'], { input: content }).toString().trim();
  git.run('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  git.run('commit', '-q', '-m', 'One file');
  return git;
}

const at = (git: SystemGit): string => join(git.path, '.git');
const signed = signedSource();
const secret = 'p@ss wörd&"quote';
const server = await gitServer({
  repositories: {
    plain: at(history),
    signed: at(signed),
    empty: at(SystemGit.create()),
    large: at(sourceOf('media/film.bin', Buffer.alloc(100_500_000))),
    huge: at(sourceOf('media/huge.bin', Buffer.alloc(105_000_000))),
    workflow: at(sourceOf('.HOST/workflows/build.yml', 'on: push\n')),
  },
  before(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const json = (body: unknown): true => {
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
      return true;
    };
    if (pathname === '/hg' && searchParams.get('cmd') === 'capabilities') {
      response.writeHead(200, { 'Content-Type': 'application/mercurial-0.1' }).end('lookup branchmap');
      return true;
    }
    if (pathname === '/svn/' && request.method === 'OPTIONS') {
      response.writeHead(200, { DAV: '1,2, http://subversion.tigris.org/xmlns/dav/svn/depth' }).end();
      return true;
    }
    if (pathname === '/tfs/_apis/tfvc/branches') return json({ count: 0, value: [] });
    if (pathname === '/tfs/_apis/projects') return json({ value: [{ name: 'Alpha' }, { name: 'Beta' }, { id: 3 }] });
    if (pathname.startsWith('/moved/')) {
      response.writeHead(301, { Location: `/plain${pathname.slice('/moved'.length)}?${searchParams}` }).end();
      return true;
    }
    if (pathname.startsWith('/inside/')) {
      response.writeHead(302, { Location: 'http://10.0.0.1/x/info/refs?service=git-upload-pack' }).end();
      return true;
    }
    return false;
  },
});
const closed = await gitServer({
  repositories: { private: at(signed) },
  basic: { username: 'bob', password: secret },
});
const told: { event: unknown; body: { status: string; sender: { id: number }; repository: { id: number } } }[] = [];
const listener = await gitServer({
  repositories: {},
  before(request, response) {
    const pieces: Buffer[] = [];
    request.on('data', piece => pieces.push(piece));
    request.on('end', () => {
      told.push({ event: request.headers['x-host-event'], body: JSON.parse(Buffer.concat(pieces).toString()) });
      response.end();
    });
    return true;
  },
});
/** git reads a pack in parts of 64 KB, so only a large one shows progress. */
function wideSource(): SystemGit {
  const git = SystemGit.create();
  for (let n = 0; n < 60; n++) {
    const blob = git
      .bytes(['hash-object', '-w', '--stdin'], { input: randomBytes(30_000) })
      .toString()
      .trim();
    git.run('update-index', '--add', '--cacheinfo', `100644,${blob},file-${n}`);
  }
  git.run('commit', '-q', '-m', 'Many files');
  return git;
}
const slow = await gitServer({ repositories: { wide: at(wideSource()) }, slow: { pause: 80, piece: 16_384 } });
const origin = (path: string) => `${gateway.url}/repos/${path}`;

/** The content of a repository according to git. */
async function exported(id: number): Promise<SystemGit> {
  const path = join(folder(), 'export.git');
  await exportRepository(
    openRepository(
      unlimitedSource(query => gateway.database.read(query)),
      id,
    ),
    path,
  );
  const git = new SystemGit(path);
  git.run('fsck', '--strict', '--full');
  return git;
}

test('an import without vcs goes from detecting to complete, and equals the source', async () => {
  const { id, path } = await target();
  const started = await ask('PUT', path, '', { vcs_url: `${server.url}/plain` });
  expect([started.status, started.headers.get('location')]).toEqual([201, `${origin(path)}/import`]);
  expect(started.json).toEqual({
    vcs: null,
    use_lfs: 'undecided',
    vcs_url: `${server.url}/plain`,
    status: 'detecting',
    status_text: 'Detecting...',
    failed_step: null,
    error_message: null,
    percent: null,
    import_percent: null,
    commit_count: null,
    push_percent: null,
    has_large_files: false,
    large_files_size: 0,
    large_files_count: 0,
    authors_count: null,
    url: `${origin(path)}/import`,
    html_url: `${gateway.url}/${path}/import`,
    authors_url: `${origin(path)}/import/authors`,
    repository_url: origin(path),
  });
  const done = await settled(path);
  const commits = Number(history.run('rev-list', '--all', '--count'));
  expect(done).toMatchObject({
    vcs: 'git',
    status: 'complete',
    status_text: 'Done.',
    failed_step: null,
    percent: 100,
    import_percent: 100,
    push_percent: 100,
    commit_count: commits,
  });
  const git = await exported(id);
  expect(refsOf(git)).toEqual(refsOf(history));
}, 60_000);

test('authors have stable ids, and can be renamed until somebody pushes', async () => {
  const { id, path } = await target();
  await ask('PUT', path, '', { vcs_url: `${server.url}/signed`, vcs: 'git' });
  expect((await settled(path)).authors_count).toBe(3);
  const { json: authors } = await ask('GET', path, '/authors');
  expect(authors).toEqual(
    [
      ['A U Thor', 'author@example.org'],
      ['C O Mitter', 'committer@example.org'],
      ['Bob', 'bob@old.example'],
    ].map(([name, email]) => ({
      id: expect.any(Number),
      remote_id: `${name} <${email}>`,
      remote_name: name,
      email,
      name,
      url: expect.stringMatching(new RegExp(`^${origin(path)}/import/authors/\\d+$`)),
      import_url: `${origin(path)}/import`,
    })),
  );
  const [first, , bob] = authors;
  expect((await ask('GET', path, `/authors?since=${first.id}`)).json).toEqual(authors.slice(1));
  const before = await exported(id);
  expect(refsOf(before)).toEqual(refsOf(signed));
  const mapped = await ask('PATCH', path, `/authors/${bob.id}`, { email: 'bob@new.example', name: 'Bob Newton' });
  expect([mapped.status, mapped.json]).toEqual([200, { ...bob, email: 'bob@new.example', name: 'Bob Newton' }]);
  const done = await settled(path);
  // The signed commit and its descendants; of the tags, the signed one.
  expect(done).toMatchObject({
    status: 'complete',
    status_text: 'Done. 2 signatures of commits and tags that were rewritten were dropped.',
  });
  const after = await exported(id);
  const people = (git: SystemGit) => git.lines('log', '--format=%an <%ae>|%cn|%s|%T|%at', 'v1-again');
  expect(people(after)).toEqual(
    people(signed).map(line => line.replace('Bob <bob@old.example>', 'Bob Newton <bob@new.example>')),
  );
  expect(after.run('log', '--format=%GG%G?', 'v1')).not.toContain('E');
  expect(after.run('cat-file', 'tag', 'v1')).not.toContain('SIGNATURE');
  expect(after.run('rev-parse', 'v1-again^{}')).toBe(after.run('rev-parse', 'main'));
  const listed = (await ask('GET', path, '/authors')).json;
  expect(listed.map((one: { id: number }) => one.id)).toEqual(authors.map((one: { id: number }) => one.id));
  // Back to the original commits of the source.
  await ask('PATCH', path, `/authors/${bob.id}`, { email: 'bob@old.example', name: 'Bob' });
  expect((await settled(path)).status_text).toBe('Done.');
  expect(refsOf(await exported(id))).toEqual(refsOf(signed));
  for (const wrong of [{ email: 'a>b' }, { name: 'x\ny' }, { name: ' ' }, { email: 'x'.repeat(256) }]) {
    const refused = await ask('PATCH', path, `/authors/${bob.id}`, wrong);
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      [{ resource: 'Author', field: Object.keys(wrong)[0], code: 'invalid' }],
    ]);
  }
  expect((await ask('PATCH', path, '/authors/987654321', { name: 'x' })).status).toBe(404);
  const push = await call(gateway, 'PUT', `/repos/${path}/contents/new.txt`, world.token, {
    message: 'm',
    content: '',
  });
  expect(push.status).toBe(201);
  const late = await ask('PATCH', path, `/authors/${bob.id}`, { name: 'Robert' });
  expect([late.status, late.json.message]).toEqual([
    422,
    'New commits have been pushed since the import. Its authors can no longer be changed.',
  ]);
}, 60_000);

test('an import waits for credentials, and they are erased when it is done', async () => {
  const [asked, wrong] = [await target(), await target()];
  const url = `${closed.url}/private`;
  await ask('PUT', asked.path, '', { vcs_url: url });
  await ask('PUT', wrong.path, '', { vcs_url: url, vcs: 'git', vcs_username: 'bob', vcs_password: 'nonsense' });
  expect(await settled(asked.path)).toMatchObject({
    status: 'detection_needs_auth',
    vcs: null,
    failed_step: 'detecting',
    error_message: 'The source wants a name and a password.',
  });
  expect(await settled(wrong.path)).toMatchObject({ status: 'auth_failed', failed_step: 'importing' });
  const updates = [asked, wrong].map(({ path }) =>
    ask('PATCH', path, '', { vcs_username: 'bob', vcs_password: secret }),
  );
  for (const { status, json } of await Promise.all(updates)) {
    expect([status, json.status, json.failed_step]).toEqual([200, 'detecting', null]);
  }
  const dump = async () =>
    JSON.stringify([
      await gateway.database.read(sql`select * from source_import`),
      await gateway.database.read(sql`select data, output from jobs.job`),
    ]);
  expect(await dump()).not.toContain(secret.slice(0, 5));
  for (const { path } of [asked, wrong]) expect(await settled(path)).toMatchObject({ vcs: 'git', status: 'complete' });
  const kept = await gateway.database.read(sql`select id from source_import where credentials is not null`);
  expect([kept, gateway.lines.filter(line => line.includes('p@ss'))]).toEqual([[], []]);
  expect(await dump()).not.toContain('bob');
}, 60_000);

test('other systems are recognised, projects are offered, and unsupported ones are reported', async () => {
  const wanted = ['nothing', 'hg', 'svn', 'tfs', 'inside', 'moved', 'empty'];
  const targets = await Promise.all(wanted.map(() => target()));
  const started = wanted.map((name, n) => ask('PUT', targets[n]?.path ?? '', '', { vcs_url: `${server.url}/${name}` }));
  for (const { status } of await Promise.all(started)) expect(status).toBe(201);
  const ends = await Promise.all(targets.map(({ path }) => settled(path, 40_000)));
  const message = (vcs: string) =>
    `The source is kept by ${vcs}. This installation imports git repositories alone. Convert the source to git first, or import a copy of it that git serves.`;
  const failed = { status: 'error', failed_step: 'importing' };
  expect(ends).toMatchObject([
    { status: 'detection_found_nothing', vcs: null, failed_step: 'detecting' },
    { ...failed, vcs: 'mercurial', error_message: message('mercurial') },
    { ...failed, vcs: 'subversion', error_message: message('subversion') },
    {
      status: 'detection_found_multiple',
      project_choices: [
        { vcs: 'tfvc', tfvc_project: 'Alpha', human_name: 'Alpha' },
        { vcs: 'tfvc', tfvc_project: 'Beta', human_name: 'Beta' },
      ],
    },
    { status: 'detection_found_nothing' },
    { status: 'complete', vcs: 'git' },
    { status: 'complete', vcs: 'git', commit_count: 0 },
  ]);
  const [nothing, , , tfs, inside] = targets as [
    { path: string },
    unknown,
    unknown,
    { path: string },
    { path: string },
  ];
  const chosen = await ask('PATCH', tfs.path, '', ends[3].project_choices[1]);
  expect(chosen.json).toMatchObject({ status: 'importing', vcs: 'tfvc', tfvc_project: 'Beta' });
  expect(chosen.json.project_choices).toBeUndefined();
  const again = await ask('PATCH', nothing.path);
  expect([again.status, again.json.status]).toEqual([200, 'detecting']);
  // With `vcs` no other system is probed, and the resolved URL is returned.
  await ask('PATCH', inside.path, '', { vcs: 'git' });
  expect(await settled(tfs.path)).toMatchObject({ ...failed, error_message: message('tfvc') });
  expect(await settled(inside.path)).toMatchObject({ ...failed, error_message: 'The host has no public address.' });
  expect(await settled(nothing.path)).toMatchObject({ status: 'detection_found_nothing' });
}, 90_000);

test('progress rises during the fetch; a cancelled import stops and can be started again', async () => {
  const { path, id } = await target();
  await ask('PUT', path, '', { vcs_url: `${slow.url}/wide`, vcs: 'git' });
  const seen: number[] = [];
  await world.wait(
    path,
    ({ percent, import_percent: same }) => {
      expect(same).toBe(percent);
      if (percent !== null && percent !== seen.at(-1)) seen.push(percent);
      return seen.filter(one => one > 0).length >= 3;
    },
    60_000,
  );
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  const data = join(tmpdir(), `portico-test-${process.pid}`, 'imports');
  expect(readdirSync(data).length).toBe(1);
  expect((await ask('PUT', path, '', { vcs_url: `${slow.url}/wide` })).json.message).toBe(
    'The repository has an import already. Cancel it before you start another one.',
  );
  const gone = await ask('DELETE', path);
  expect([gone.status, gone.text]).toEqual([204, '']);
  for (const suffix of ['', '/authors', '/large_files']) expect((await ask('GET', path, suffix)).status).toBe(404);
  expect((await ask('DELETE', path)).status).toBe(404);
  expect((await ask('PATCH', path)).status).toBe(404);
  const end = Date.now() + 10_000;
  while (readdirSync(data).length > 0 && Date.now() < end) await new Promise(resolve => setTimeout(resolve, 50));
  expect(readdirSync(data)).toEqual([]);
  await ask('PUT', path, '', { vcs_url: `${server.url}/plain`, vcs: 'git' });
  expect(await settled(path)).toMatchObject({ status: 'complete' });
  expect(refsOf(await exported(id))).toEqual(refsOf(history));
  const complete = await ask('PATCH', path);
  expect([complete.status, complete.json.message]).toEqual([
    422,
    'The import is complete. Cancel it before you start another one.',
  ]);
}, 90_000);

test('of two concurrent starts one wins, and a repository that is not empty is refused', async () => {
  const { path } = await target();
  const body = { vcs_url: `${server.url}/empty` };
  const both = await Promise.all([ask('PUT', path, '', body), ask('PUT', path, '', body)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 422]);
  const full = await target();
  const write = (name: string, token = world.token) =>
    call(gateway, 'PUT', `/repos/${full.path}/contents/${name}`, token, { message: 'm', content: '' });
  await write('a.txt');
  const refused = await ask('PUT', full.path, '', body);
  expect([refused.status, refused.json.message]).toEqual([
    422,
    'The repository is not empty. Source imports need an empty one.',
  ]);
  const { token } = await inTransaction(gateway.database, db =>
    insertCredential(
      db,
      { kind: 'classic', accountId: world.accountId, scopes: ['repo', 'workflow'] },
      gateway.clock.now,
    ),
  );
  expect((await write('.host/workflows/a.yml', `Bearer ${token}`)).status).toBe(201);
  const automated = await ask('PUT', full.path, '', body);
  expect([automated.status, automated.json.message]).toEqual([
    422,
    'Source imports into a repository with workflow automation enabled are not supported.',
  ]);
  // Workflow files in the source need the scope too.
  const [without, withIt] = [await target(), await target()];
  const source = { vcs_url: `${server.url}/workflow`, vcs: 'git' };
  await ask('PUT', without.path, '', source);
  await call(gateway, 'PUT', `/repos/${withIt.path}/import`, `Bearer ${token}`, source);
  expect((await settled(without.path)).error_message).toMatch(/lacks the scope workflow/);
  expect(await settled(withIt.path)).toMatchObject({ status: 'complete' });
}, 60_000);

test('large files are listed and kept up to the maximum size of a file; there is no LFS store', async () => {
  const [large, huge] = [await target(), await target()];
  await ask('PUT', large.path, '', { vcs_url: `${server.url}/large`, vcs: 'git' });
  await ask('PUT', huge.path, '', { vcs_url: `${server.url}/huge`, vcs: 'git' });
  const out = await ask('PATCH', large.path, '/lfs', { use_lfs: 'opt_out' });
  expect([out.status, out.json.use_lfs]).toEqual([200, 'opt_out']);
  const into = await ask('PATCH', large.path, '/lfs', { use_lfs: 'opt_in' });
  expect([into.status, into.json.errors[0]]).toEqual([
    422,
    {
      resource: 'Import',
      field: 'use_lfs',
      code: 'custom',
      message:
        'This installation has no Git LFS store. With opt_out large files are imported as ordinary files, up to 100 MiB each.',
    },
  ]);
  expect((await ask('PATCH', large.path, '/lfs', { use_lfs: 'undecided' })).json.message).toBe(
    'Invalid request.\n\nundecided is not a member of ["opt_in", "opt_out"].',
  );
  expect((await ask('PATCH', large.path, '/lfs', {})).json.message).toBe(
    'Invalid request.\n\n"use_lfs" wasn\'t supplied.',
  );
  expect(await settled(large.path, 60_000)).toMatchObject({
    status: 'complete',
    use_lfs: 'opt_out',
    has_large_files: true,
    large_files_count: 1,
    large_files_size: 0.1005,
  });
  const files = async (path: string) => (await ask('GET', path, '/large_files')).json;
  const file = { ref_name: 'refs/heads/main', oid: expect.stringMatching(/^[0-9a-f]{40}$/) };
  expect(await files(large.path)).toEqual([{ ...file, path: 'media/film.bin', size: 100_500_000 }]);
  expect(await settled(huge.path, 60_000)).toMatchObject({
    status: 'error',
    failed_step: 'importing',
    error_message:
      'media/huge.bin is larger than the 100 MiB that a file can have here, and there is no Git LFS store for it.',
    has_large_files: true,
  });
  expect(await files(huge.path)).toEqual([{ ...file, path: 'media/huge.bin', size: 105_000_000 }]);
}, 120_000);

test.each([
  ['ext::sh -c touch% /tmp/x', 'ASCII'],
  ['ext::touch', 'begins with https'],
  ['file:///etc/passwd', 'begins with https'],
  ['/etc', 'begins with https'],
  ['--upload-pack=touch', 'begins with https'],
  ['ssh://-oProxyCommand=x/y', 'begins with https'],
  ['git@example.org:a/b.git', 'begins with https'],
  ['git://example.org/a', 'begins with https'],
  ['http:example.org', 'begins with https'],
  ['https://bob:secret@example.org/a', 'vcs_username'],
  ['https://example.org/a?x=1', 'no query'],
  ['https://example.org/a#x', 'no query'],
  ['https://example.org/\na', 'ASCII'],
  ['http://10.0.0.1/a', 'no public address'],
  ['http://127.0.0.2:9418/a', 'no public address'],
  ['http://2130706434/a', 'no public address'],
  ['http://[::1]/a', 'no public address'],
  ['http://[::ffff:10.0.0.1]/a', 'no public address'],
  ['http://169.254.169.254/latest', 'no public address'],
  ['http://localhost/a', 'no public address'],
  ['http://example.org:25/a', 'ports'],
  [`https://example.org/${'a'.repeat(2048)}`, 'too long'],
])('the address %s is refused', async (url, words) => {
  const { path } = await target();
  const { status, json } = await ask('PUT', path, '', { vcs_url: url });
  expect([status, json.errors?.[0]]).toEqual([
    422,
    { resource: 'Import', field: 'vcs_url', code: 'custom', message: expect.stringContaining(words) },
  ]);
  expect((await ask('GET', path)).status).toBe(404);
});

test('invalid input, credentials with line feeds, and hg for mercurial', async () => {
  const { path } = await target();
  expect((await ask('PUT', path, '', {})).json.message).toBe('Invalid request.\n\n"vcs_url" wasn\'t supplied.');
  expect((await ask('PUT', path, '', { vcs_url: server.url, vcs: 'cvs' })).json.message).toBe(
    'Invalid request.\n\ncvs is not a member of ["subversion", "git", "mercurial", "tfvc", "hg"].',
  );
  const split = { vcs_url: `${server.url}/plain`, vcs_username: 'a\nhost=example.org', vcs_password: 'b' };
  expect((await ask('PUT', path, '', split)).json.errors[0].field).toBe('vcs_username');
  const started = await ask('PUT', path, '', { vcs_url: `${server.url}/hg`, vcs: 'hg' });
  expect(started.json).toMatchObject({ vcs: 'mercurial', status: 'importing' });
  expect((await ask('GET', path, '/authors?since=x')).status).toBe(422);
});

test('only classic tokens are accepted, and writes need push access', async () => {
  const { path } = await target();
  const token = async (one: Parameters<typeof insertCredential>[1]) =>
    `Bearer ${(await inTransaction(gateway.database, db => insertCredential(db, one, gateway.clock.now))).token}`;
  const { rows } = await sql<{ id: number }>`insert into account (kind, login, created_at, updated_at)
    values ('user', 'reader', now(), now()) returning id`.execute(gateway.database.sql);
  const reader = await token({ kind: 'classic', accountId: Number(rows[0]?.id), scopes: ['repo'] });
  const fine = await token({
    kind: 'fine_grained',
    accountId: world.accountId,
    resourceOwnerId: world.accountId,
    permissions: { contents: 'write' },
  });
  const put = (as?: string) => call(gateway, 'PUT', `/repos/${path}/import`, as, { vcs_url: `${server.url}/empty` });
  const told = async (answer: ReturnType<typeof put>) => [(await answer).status, (await answer).json.message];
  expect(await told(put())).toEqual([403, 'Requires authentication']);
  expect(await told(put(fine))).toEqual([403, 'Resource not accessible by personal access token']);
  expect(await told(put(reader))).toEqual([403, 'Must have push access to Repository.']);
  expect((await call(gateway, 'GET', `/repos/${path}/import`, reader)).status).toBe(404);
  expect((await put(world.token)).status).toBe(201);
  expect((await call(gateway, 'GET', `/repos/${path}/import`, reader)).status).toBe(200);
  const { headers } = await ask('GET', path);
  expect(headers.get('x-accepted-host-permissions')).toBe('contents=read');
});

test('without git a start is 503', async () => {
  const { path } = await target();
  const { env } = process;
  const before = env.PATH;
  env.PATH = '/nonexistent';
  try {
    const { status, json } = await ask('PUT', path, '', { vcs_url: `${server.url}/plain` });
    expect([status, json.message]).toEqual([
      503,
      'Source imports need the program git, which is not installed on this machine.',
    ]);
  } finally {
    env.PATH = before;
  }
  expect((await ask('GET', path)).status).toBe(404);
});

test('the same in GraphQL', async () => {
  const { path } = await target();
  const [owner, name] = path.split('/');
  const bearer = world.token.replace('Bearer ', '');
  const address = `owner: "${owner}", name: "${name}"`;
  const start = `mutation { startSourceImport(input: { repository: { named: { ${address} } }, sourceUrl: "${server.url}/signed", vcs: GIT }) { sourceImport { status vcs } } }`;
  expect((await graphql(gateway, start, bearer)).data).toEqual({
    startSourceImport: { sourceImport: { status: 'IMPORTING', vcs: 'GIT' } },
  });
  await settled(path);
  const query = `{ repository(${address}) { sourceImport { status authors(first: 2) { totalCount nodes { id remoteName } } largeFiles { nodes { path } } } } }`;
  const { data } = await graphql(gateway, query, bearer);
  expect(data.repository.sourceImport).toMatchObject({
    status: 'COMPLETE',
    authors: { totalCount: 3, nodes: [{ remoteName: 'A U Thor' }, { remoteName: 'C O Mitter' }] },
    largeFiles: { nodes: [] },
  });
  const [author] = data.repository.sourceImport.authors.nodes;
  const byId = `{ node(id: "${author.id}") { ... on SourceImportAuthor { remoteName } } }`;
  expect((await graphql(gateway, byId, bearer)).data).toEqual({ node: { remoteName: 'A U Thor' } });
  const open = await graphql(gateway, `{ repository(${address}) { sourceImport { status } } }`);
  expect([open.data, open.errors[0].extensions.code]).toEqual([
    { repository: { sourceImport: null } },
    'UNAUTHENTICATED',
  ]);
  const cancel = `mutation { cancelSourceImport(input: { repository: { named: { ${address} } } }) { repository { name } } }`;
  expect((await graphql(gateway, cancel, bearer)).data).toEqual({ cancelSourceImport: { repository: { name } } });
});

test('without the setting every path is 503, with a sentence about retirement and the setting', async () => {
  const { path } = await target();
  const paths: [string, string][] = [
    ['GET', ''],
    ['PUT', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/authors'],
    ['PATCH', '/authors/1'],
    ['GET', '/large_files'],
    ['PATCH', '/lfs'],
  ];
  for (const [method, suffix] of paths) {
    for (const token of [undefined, world.token]) {
      const answer = await call(
        retired,
        method,
        `/repos/${path}/import${suffix}`,
        token,
        method === 'GET' ? undefined : {},
      );
      expect([answer.status, answer.json]).toEqual([
        503,
        {
          message:
            'Source imports were retired on 2024-04-12. An operator makes them available with the setting SOURCE_IMPORTS=on.',
          documentation_url: expect.stringContaining('/rest/migrations/source-imports#'),
          status: '503',
        },
      ]);
      expect(answer.headers.get('deprecation')).toBe('Thu, 12 Oct 2023 00:00:00 GMT');
      expect(answer.headers.get('sunset')).toBe('Fri, 12 Apr 2024 00:00:00 GMT');
      expect(answer.headers.get('link')).toMatch(/rel="deprecation"/);
    }
  }
  const [owner, name] = path.split('/');
  const query = `{ repository(owner: "${owner}", name: "${name}") { sourceImport { status } } }`;
  const asked = await graphql(retired, query, world.token.replace('Bearer ', ''));
  expect(asked.errors[0].extensions.code).toBe('GONE');
});

test('the webhook reports how an import ended', async () => {
  const permissions = JSON.stringify({ contents: 'read' });
  await sql`with app as (insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, permissions, events,
      webhook_url, webhook_content_type, created_at, updated_at)
    values (${world.accountId}, 'ear', 'Ear', 'Iv1.ear', '', 'https://ear.example', ${permissions}, '{repository_import}',
      ${listener.url}, 'json', now(), now()) returning id)
    insert into installation (app_id, account_id, repository_selection, permissions, events, created_at, updated_at)
    select id, ${world.accountId}, 'all', ${permissions}, '{repository_import}', now(), now() from app`.execute(
    gateway.database.sql,
  );
  const [good, bad] = [await target(), await target()];
  await ask('PUT', good.path, '', { vcs_url: `${server.url}/signed`, vcs: 'git' });
  await settled(good.path);
  await ask('PUT', bad.path, '', { vcs_url: `${server.url}/hg`, vcs: 'hg' });
  await settled(bad.path);
  await ask('DELETE', bad.path);
  const end = Date.now() + 20_000;
  while (told.length < 3 && Date.now() < end) await new Promise(resolve => setTimeout(resolve, 50));
  const shown = told.map(({ event, body }) => [event, body.status, body.repository.id, body.sender.id]);
  expect(shown.toSorted((a, b) => String(a[1]).localeCompare(String(b[1])))).toEqual([
    ['repository_import', 'cancelled', bad.id, world.accountId],
    ['repository_import', 'failure', bad.id, world.accountId],
    ['repository_import', 'success', good.id, world.accountId],
  ]);
}, 60_000);
