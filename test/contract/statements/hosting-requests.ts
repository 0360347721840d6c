import { expect } from '@jest/globals';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

const compass = '/repos/harbor-lab/compass';

export const tip = async (ask: HostingServer['ask']): Promise<string> =>
  (await ask(`GET ${compass}/git/ref/heads/main`)).json.object.sha;

/** The rules of section 4 for requests, and what its rows say beside status and fields. */
export function hostingRequests({ ask, put, text, world }: HostingServer): Section {
  const media = (form: string) => text(`${compass}/contents/README.md`, `application/vnd.host.${form}`);
  const written = async () => {
    const repository = await world.repository();
    const { json } = await put(repository, 'a.txt', 'one');
    return { repository, json, path: `${repository}/contents/a.txt` };
  };
  const content = Buffer.from('text').toString('base64');
  const statements: Statement[] = [
    [
      'Accept may name application/vnd.host+json',
      async () =>
        expect((await ask('GET /events', { headers: { accept: 'application/vnd.host+json' } })).status).toBe(200),
    ],
    [
      'Accept may name several types',
      async () => {
        const accept = 'application/vnd.host+json, application/json';
        expect((await ask('GET /events', { headers: { accept } })).status).toBe(200);
      },
    ],
    ['raw is the file itself', async () => expect(await media('raw+json')).toMatch(/^#/)],
    ['html is rendered', async () => expect(await media('html+json')).toMatch(/<h1/)],
    ['object is an object', async () => expect(JSON.parse(await media('object+json')).type).toBe('file')],
    [
      'a version may be selected',
      async () => {
        const { headers } = await ask('GET /events', { headers: { 'x-host-api-version': '2022-11-28' } });
        expect(headers.get('x-host-api-version-selected')).toBe('2022-11-28');
      },
    ],
    [
      'parameters of a body need a token',
      async () => {
        const body = { message: 'x', content };
        expect([401, 403, 404]).toContain((await ask(`PUT ${compass}/contents/x.txt`, { as: null, body })).status);
      },
    ],
    [
      'ref selects a commit, a branch or a tag',
      async () => {
        const [sha] = [await tip(ask)];
        for (const ref of [sha, 'main', 'refs/heads/main'])
          expect((await ask(`GET ${compass}/contents/README.md?ref=${ref}`)).status).toBe(200);
      },
    ],
    [
      'a ref that does not exist is 404',
      async () => expect((await ask(`GET ${compass}/contents/README.md?ref=none`)).status).toBe(404),
    ],
    [
      'without a path the root is returned',
      async () => expect(Array.isArray((await ask(`GET ${compass}/contents/`)).json)).toBe(true),
    ],
    [
      'an unchanged file is 304',
      async () => {
        const { repository } = await written();
        const path = `GET ${repository}/contents/`;
        const tag = (await ask(path)).headers.get('etag') ?? '';
        expect((await ask(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
      },
    ],
    [
      'a file needs a message',
      async () =>
        expect((await put((await written()).repository, 'b.txt', 'b', { message: undefined })).status).toBe(422),
    ],
    [
      'a file needs content',
      async () =>
        expect(
          (await ask(`PUT ${(await written()).repository}/contents/b.txt`, { body: { message: 'b' } })).status,
        ).toBe(422),
    ],
    [
      'an update needs the sha of what it replaces',
      async () => {
        const { repository, json } = await written();
        expect((await put(repository, 'a.txt', 'two')).status).toBe(422);
        expect((await put(repository, 'a.txt', 'two', { sha: json.content.sha })).status).toBe(200);
      },
    ],
    [
      'an old sha is a conflict',
      async () => {
        const { repository, json } = await written();
        await put(repository, 'a.txt', 'two', { sha: json.content.sha });
        expect((await put(repository, 'a.txt', 'three', { sha: json.content.sha })).status).toBe(409);
      },
    ],
    [
      'a new file is 201',
      async () => expect((await put((await written()).repository, 'new.txt', 'b')).status).toBe(201),
    ],
    [
      'branch selects the branch of a change',
      async () => {
        const { repository, json } = await written();
        await ask(`POST ${repository}/git/refs`, { body: { ref: 'refs/heads/topic', sha: json.commit.sha } });
        await put(repository, 'b.txt', 'b', { branch: 'topic' });
        expect((await ask(`GET ${repository}/contents/b.txt`)).status).toBe(404);
        expect((await ask(`GET ${repository}/contents/b.txt?ref=topic`)).status).toBe(200);
      },
    ],
    [
      'the committer is the caller, and the author the committer, by default',
      async () => {
        const { repository } = await written();
        const own = (await put(repository, 'b.txt', 'b')).json.commit;
        expect([own.author.email, own.author.name]).toEqual([own.committer.email, own.committer.name]);
        const committer = { name: 'Ada', email: 'ada@example.org' };
        expect((await put(repository, 'c.txt', 'c', { committer })).json.commit).toMatchObject({
          author: committer,
          committer,
        });
      },
    ],
    [
      'an author needs a name and an email',
      async () => {
        const { repository } = await written();
        expect((await put(repository, 'b.txt', 'b', { author: { name: 'Ada' } })).status).toBe(422);
        expect((await put(repository, 'b.txt', 'b', { author: { email: 'a@example.org' } })).status).toBe(422);
      },
    ],
    [
      'a deletion needs a message and a sha',
      async () => {
        const { path, json } = await written();
        expect((await ask(`DELETE ${path}`, { body: { sha: json.content.sha } })).status).toBe(422);
        expect((await ask(`DELETE ${path}`, { body: { message: 'x' } })).status).toBe(422);
      },
    ],
    [
      'a deletion refuses an author without name or email with 422',
      async () => {
        const { path, json } = await written();
        const body = { message: 'x', sha: json.content.sha, author: { name: 'Ada' } };
        expect((await ask(`DELETE ${path}`, { body })).status).toBe(422);
      },
    ],
    [
      'a readme is raw by default',
      async () => {
        const { headers, text } = await ask(`GET ${compass}/readme`);
        expect([headers.get('content-type')?.includes('raw'), text.startsWith('#')]).toEqual([true, true]);
      },
    ],
    [
      'a readme is rendered as html',
      async () =>
        expect((await ask(`GET ${compass}/readme`, { headers: { accept: 'application/vnd.host.html' } })).text).toMatch(
          /<h1/,
        ),
    ],
    [
      'a readme that is not there is 404',
      async () => expect((await ask(`GET ${compass}/readme/none`)).status).toBe(404),
    ],
    ...(['message', 'tree'] as const).map(
      (key): Statement => [
        `a commit needs a ${key}`,
        async () => {
          const { repository, json } = await written();
          const whole: Record<string, string> = { message: 'x', tree: json.commit.tree.sha };
          delete whole[key];
          expect((await ask(`POST ${repository}/git/commits`, { body: whole })).status).toBe(422);
        },
      ],
    ),
    ...([undefined, []] as const).map(
      (parents): Statement => [
        `a commit ${parents ? 'with no parents' : 'without parents'} is a root`,
        async () => {
          const { repository, json } = await written();
          const body = { message: 'x', tree: json.commit.tree.sha, parents };
          expect((await ask(`POST ${repository}/git/commits`, { body })).json.parents).toEqual([]);
        },
      ],
    ),
    [
      'a commit has its parents in order',
      async () => {
        const { repository, json } = await written();
        const second = (await put(repository, 'b.txt', 'b')).json.commit.sha;
        const parents = [second, json.commit.sha];
        const body = { message: 'x', tree: json.commit.tree.sha, parents };
        const made = (await ask(`POST ${repository}/git/commits`, { body })).json;
        expect(made.parents.map((one: { sha: string }) => one.sha)).toEqual(parents);
      },
    ],
    [
      'a commit that is not there is 404',
      async () => expect((await ask(`GET ${compass}/git/commits/${'1'.repeat(40)}`)).status).toBe(404),
    ],
  ];
  return { document: 'hosting', title: '4. Requests', statements };
}
