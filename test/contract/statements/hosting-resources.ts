import { expect } from '@jest/globals';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

type Json = Record<string, unknown>;
type FieldTest = (value: unknown) => boolean;

const text: FieldTest = value => typeof value === 'string';
const integer: FieldTest = value => Number.isInteger(value);
const bool: FieldTest = value => typeof value === 'boolean';
const url: FieldTest = value => typeof value === 'string' && URL.canParse(value);
const time: FieldTest = value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);
const sha: FieldTest = value => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const object: FieldTest = value => typeof value === 'object' && value !== null;
const orNull =
  (test: FieldTest): FieldTest =>
  value =>
    value === null || test(value);
const among =
  (...values: unknown[]): FieldTest =>
  value =>
    values.includes(value);

/** Section 2 of the hosting document: the fields of each record. */
export function hostingResources({ ask, example, put, world }: HostingServer): Section {
  /** A statement for each field of a record. */
  const fields = (record: string, read: () => Promise<Json>, tests: Record<string, FieldTest>): Statement[] =>
    Object.entries(tests).map(([field, test]) => [
      `${record} has ${field}`,
      async () => {
        const found = await read();
        expect(found).toHaveProperty(field);
        expect({ value: found[field], fits: test(found[field]) }).toEqual({ value: found[field], fits: true });
      },
    ]);
  const file = async (): Promise<Json> => (await ask('GET /repos/harbor-lab/compass/contents/README.md')).json;
  const commit = async (): Promise<Json> => (await example('GetGitCommit')).json;
  const suite = async (): Promise<Json> => (await example('ListOrgRuleSuites')).json[0];
  const event = async (type: string): Promise<Json> => {
    const { json } = await ask('GET /repos/harbor-lab/compass/events?per_page=100');
    const found = json.find((one: Json) => one.type === type);
    if (!found) throw new Error(`The demo data have no ${type}.`);
    return found;
  };
  const payload = async (type: string): Promise<Json> => (await event(type)).payload as Json;
  const item = async (operation: string): Promise<Json> => (await example(operation)).json[0];
  const imported = async (): Promise<Json> => (await example('GetImportStatus')).json;
  const counts = { total_request_count: integer, rate_limited_request_count: integer };
  const times = { last_request_timestamp: time, last_rate_limited_timestamp: orNull(time) };
  const changedHook = async (): Promise<Json> =>
    (await ask('PATCH /app/hook/config', { as: await world.asApp(), body: { url: 'https://receiver.example/hooks' } }))
      .json;
  const directory = async (): Promise<Json[]> => (await ask('GET /repos/harbor-lab/compass/contents/')).json;
  const statements: Statement[] = [
    ...fields('a file', file, {
      ...{ type: among('file'), encoding: among('base64'), size: integer, name: text, path: text, content: text },
      ...{ sha, url, git_url: url, html_url: url, download_url: url, _links: object },
    }),
    [
      'the content of a file is Base64 of so many bytes',
      async () => {
        const { content, size } = await file();
        expect(Buffer.from(String(content), 'base64')).toHaveLength(Number(size));
      },
    ],
    [
      '_links of a file are git, self and html',
      async () => expect(Object.keys((await file())._links as object).toSorted()).toEqual(['git', 'html', 'self']),
    ],
    [
      'a file of more than 1 MB has the encoding none and no content by the object media type',
      async () => {
        const repository = await world.repository();
        await put(repository, 'large.txt', 'a'.repeat(1_100_000));
        const accept = 'application/vnd.host.object+json';
        const { json } = await ask(`GET ${repository}/contents/large.txt`, { headers: { accept } });
        expect([json.encoding, json.content, json.size]).toEqual(['none', '', 1_100_000]);
      },
    ],
    ['a directory is an array of items', async () => expect((await directory()).length).toBeGreaterThan(0)],
    [
      'an item of a directory is a file or a directory and has no content',
      async () => {
        for (const one of await directory()) {
          expect(['file', 'dir', 'symlink']).toContain(one.type);
          expect(one).not.toHaveProperty('content');
        }
      },
    ],
    [
      'a directory by the object media type is an object with entries',
      async () => {
        const accept = 'application/vnd.host.object+json';
        const { json } = await ask('GET /repos/harbor-lab/compass/contents/', { headers: { accept } });
        expect(json.entries).toHaveLength((await directory()).length);
      },
    ],
    ...fields('the content of a changed file', async () => (await example('CreateOrUpdateFileContents')).json.content, {
      ...{ name: text, path: text, sha, size: integer, url, html_url: url, git_url: url, download_url: url },
      ...{ type: among('file'), _links: object },
    }),
    ...fields('a change of a file', async () => (await example('CreateOrUpdateFileContents')).json, { commit: object }),
    ['content is null after a deletion', async () => expect((await example('DeleteFile')).json.content).toBeNull()],
    ...fields('a commit', commit, {
      ...{ sha, node_id: text, url, html_url: url, message: text, author: object, committer: object, tree: object },
      ...{ parents: Array.isArray, verification: object },
    }),
    ...(['author', 'committer'] as const).flatMap(who =>
      fields(`the ${who} of a commit`, async () => (await commit())[who] as Json, {
        date: time,
        name: text,
        email: text,
      }),
    ),
    ...fields('the tree of a commit', async () => (await commit()).tree as Json, { url, sha }),
    ...fields('a verification', async () => (await commit()).verification as Json, {
      verified: bool,
      reason: text,
      signature: orNull(text),
      payload: orNull(text),
    }),
    [
      'verified_at is null and the reason is unsigned without a signature',
      async () =>
        expect((await commit()).verification).toMatchObject({ verified: false, reason: 'unsigned', verified_at: null }),
    ],
    ...fields('a rule suite', suite, {
      ...{ id: integer, actor_id: integer, actor_name: text, before_sha: sha, after_sha: sha, ref: text },
      ...{ repository_id: integer, repository_name: text, pushed_at: time, result: among('pass', 'fail', 'bypass') },
    }),
    ...fields('a rule evaluation', async () => (await example('GetOrgRuleSuite')).json.rule_evaluations[0], {
      rule_source: object,
      enforcement: among('active', 'evaluate', 'deleted ruleset'),
      result: among('pass', 'fail'),
      rule_type: text,
    }),
    [
      'the source of a rule has a type, and a ruleset an id and a name',
      async () => {
        const [{ rule_source: source }] = (await example('GetOrgRuleSuite')).json.rule_evaluations;
        expect(['ruleset', 'protected_branch']).toContain(source.type);
        if (source.type === 'ruleset') expect([integer(source.id), text(source.name)]).toEqual([true, true]);
      },
    ],
    ...fields('statistics of a route', () => item('GetApiRouteStatsByActor'), {
      http_method: text,
      api_route: text,
      ...counts,
      ...times,
    }),
    ...fields('statistics of a subject', () => item('GetApiSubjectStats'), {
      subject_type: text,
      subject_id: orNull(integer),
      subject_name: text,
      ...counts,
      ...times,
    }),
    ...fields('a summary', async () => (await example('GetApiSummaryStats')).json, counts),
    ...fields('statistics of a time', () => item('GetApiTimeStats'), { timestamp: time, ...counts }),
    ...fields('statistics of a user', () => item('GetApiUserStats'), {
      actor_type: text,
      actor_id: integer,
      actor_name: text,
      ...counts,
      ...times,
    }),
    ...fields('an event', () => event('PushEvent'), {
      ...{ id: text, type: text, actor: object, repo: object, payload: object, public: bool, created_at: time },
      org: object,
    }),
    ...fields('the actor of an event', async () => (await event('PushEvent')).actor as Json, {
      ...{ id: integer, login: text, display_login: text, avatar_id: text, url, avatar_url: url },
    }),
    ...fields('the repository of an event', async () => (await event('PushEvent')).repo as Json, {
      id: integer,
      name: text,
      url,
    }),
    ...fields('the organization of an event', async () => (await event('PushEvent')).org as Json, {
      ...{ id: integer, login: text, avatar_id: text, url, avatar_url: url },
    }),
    ...fields('a WatchEvent', () => payload('WatchEvent'), { action: among('started') }),
    ...fields('a PushEvent', () => payload('PushEvent'), {
      ...{
        push_id: integer,
        size: integer,
        distinct_size: integer,
        ref: text,
        head: sha,
        before: sha,
        commits: Array.isArray,
      },
    }),
    ...fields('a commit of a PushEvent', async () => ((await payload('PushEvent')).commits as Json[])[0] ?? {}, {
      ...{ sha, author: object, message: text, distinct: bool, url },
    }),
    ...fields('a CreateEvent', () => payload('CreateEvent'), {
      ...{ ref: orNull(text), ref_type: among('branch', 'tag', 'repository'), master_branch: text },
      ...{ description: orNull(text), pusher_type: text },
    }),
    ...fields('the configuration of a webhook', changedHook, {
      url,
      content_type: among('json', 'form'),
      insecure_ssl: among('0', '1', 0, 1),
    }),
    [
      'the secret of a webhook is masked',
      async () => {
        const as = await world.asApp();
        const { json } = await ask('PATCH /app/hook/config', { as, body: { secret: 'between us' } });
        expect([json.secret, JSON.stringify(json).includes('between us')]).toEqual(['********', false]);
      },
    ],
    ...fields('a delivery', () => item('ListDeliveries'), {
      ...{
        id: integer,
        guid: text,
        delivered_at: time,
        redelivery: bool,
        duration: value => typeof value === 'number',
      },
      ...{ status: text, status_code: integer, event: text, action: orNull(text), installation_id: orNull(integer) },
      ...{ repository_id: orNull(integer), throttled_at: orNull(time) },
    }),
    ...fields('a delivery in detail', async () => (await example('GetDelivery')).json, {
      url,
      request: object,
      response: object,
    }),
    [
      'request and response of a delivery have headers and a payload',
      async () => {
        const { request, response } = (await example('GetDelivery')).json;
        for (const one of [request, response]) expect(Object.keys(one).toSorted()).toEqual(['headers', 'payload']);
      },
    ],
    ...fields('an import', imported, {
      ...{
        vcs: orNull(text),
        vcs_url: text,
        status: text,
        use_lfs: among('opt_in', 'opt_out', 'undecided', true, false),
      },
      ...{ url, html_url: url, authors_url: url, repository_url: url },
    }),
    ...fields('an author of an import', () => item('GetCommitAuthors'), {
      ...{ id: integer, remote_id: text, remote_name: text, email: text, name: text, url, import_url: url },
    }),
  ];
  return { document: 'hosting', title: '2. Resources and their fields', statements };
}
