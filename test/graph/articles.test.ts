import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const [reader, other, blocker] = (await createAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
const guest: string = (await send(gateway, 'POST', '/auth/guest/')).json.access;

const ask = (query: string, access?: string, variables: object = {}) =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(access ? { authorization: `Bearer ${access}` } : {}) },
    body: JSON.stringify({ query, variables }),
  });

/** The data of a query that must succeed. */
async function read(query: string, access?: string, variables: object = {}) {
  const { json } = await ask(query, access, variables);
  expect(json.errors).toBeUndefined();
  return json.data;
}

const codeOf = async (query: string, access?: string): Promise<string> =>
  (await ask(query, access)).json.errors?.[0].extensions.code;

const { articles: found } = await read('{ articles(first: 100) { nodes { id databaseId } } }');
const all: { id: string; databaseId: number }[] = found.nodes;
const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];

const addComment = async (text: string, { access }: TestAccount, parentId?: string, articleId = first.id) =>
  (
    await read(
      `mutation($input: AddArticleCommentInput!) { addArticleComment(input: $input) { comment { id databaseId text parent { id } article { id } isMine repliesCount } } }`,
      access,
      { input: { articleId, text, parentId } },
    )
  ).addArticleComment.comment;

const top = await addComment('top', reader);
const reply = await addComment('reply', other, top.id);
const below = await addComment('below', reader, reply.id);
await addComment('elsewhere', other, undefined, second.id);
for (const { id } of [first, second, third])
  await read(
    'mutation($id: ID!) { likeArticle(input: { articleId: $id }) { article { id } } bookmarkArticle(input: { articleId: $id }) { article { id } } }',
    reader.access,
    { id },
  );
await read('mutation { refreshRecommendations(input: {}) { person { id } } }', reader.access);

/** Reads of the area, with the size of their outermost list. */
const queries: Record<string, (size: number) => string> = {
  articles: size => `{ articles(first: ${size}) { totalCount nodes { id headline categories { name } isLiked } } }`,
  'categories of articles': size =>
    `{ articles(first: ${size}) { nodes { categories { name articles(first: 1) { totalCount nodes { headline } edges { cursor node { id } } pageInfo { hasNextPage } } } } } }`,
  'last articles of categories': size =>
    `{ articles(first: ${size}) { nodes { categories { articles(last: 1, orderBy: [LIKE_COUNT_DESC, HEADLINE_ASC]) { nodes { headline } } } } } }`,
  'related articles': size =>
    `{ articles(first: ${size}) { nodes { related { headline related { headline categories { name } } } } } }`,
  bodies: size => `{ articles(first: ${size}) { nodes { body viewCount } } }`,
  comments: size =>
    `{ articles(first: ${size}) { nodes { comments(first: 5, isReply: false) { totalCount nodes { text author { fullName } replies(first: 3) { totalCount nodes { text parent { text } article { headline } } } } } } } }`,
  'comments selected twice': size =>
    `{ articles(first: ${size}) { nodes { comments { nodes { text } } comments { nodes { id } edges { cursor } } } } }`,
  bookmarks: size =>
    `{ healthViewer { bookmarks(first: ${size}) { totalCount edges { bookmarkedAt node { headline } } } } }`,
  recommendations: size =>
    `{ healthViewer { recommendations(first: ${size}) { totalCount nodes { reason score status recommendedAt article { headline } } } } }`,
};

describe('statements', () => {
  test.each(Object.entries(queries))(
    'for %s are as many for one row as for fifty, and none writes',
    async (_, query) => {
      const [one, many] = [
        await gateway.statements(() => read(query(1), reader.access)),
        await gateway.statements(() => read(query(50), reader.access)),
      ];
      expect(many).toHaveLength(one.length);
      for (const text of [...one, ...many]) expect(text).not.toMatch(/\b(insert|update|delete)\b/i);
    },
  );

  test('for all categories with their articles are three: categories, rows, totals', async () => {
    const query = '{ articleCategories { name articles(first: 3) { totalCount nodes { headline } } } }';
    expect(await gateway.statements(() => read(query))).toHaveLength(3);
    const { articleCategories } = await read(query);
    expect(articleCategories.length).toBeGreaterThan(5);
    const { rows } = await sql<{ name: string; count: number }>`
      select c.name, count(ac.article_id)::int as count from category c left join article_category ac on ac.category_id = c.id
      group by c.id order by c.name, c.id`.execute(gateway.database.sql);
    expect(articleCategories.map((one: { name: string }) => one.name)).toEqual(rows.map(({ name }) => name));
    expect(articleCategories.map((one: { articles: { totalCount: number } }) => one.articles.totalCount)).toEqual(
      rows.map(({ count }) => count),
    );
  });

  test('for one article are one, which counts no view', async () => {
    const query = '{ article(databaseId: 1) { headline } }';
    expect(await gateway.statements(() => read(query, undefined))).toHaveLength(1);
  });
});

describe('categories', () => {
  test('have the articles that the list filtered by the slug has, in the same order', async () => {
    const { articleCategories } = await read(
      '{ articleCategories { id slug articles(first: 100, orderBy: HEADLINE_DESC) { nodes { id } } } }',
    );
    for (const { id, slug, articles } of articleCategories) {
      const listed = await read(
        'query($slug: String!, $id: ID!) { articles(category: $slug, first: 100, orderBy: HEADLINE_DESC) { nodes { id } } node(id: $id) { ... on Category { slug } } }',
        undefined,
        { slug, id },
      );
      expect(articles.nodes.map((one: { id: string }) => one.id)).toEqual(
        listed.articles.nodes.map((one: { id: string }) => one.id),
      );
      expect(listed.node).toEqual({ slug });
    }
  });

  test('are searched, and filtered by publisher', async () => {
    const { articleCategories } = await read(
      '{ articleCategories { all: articles { totalCount } found: articles(search: "sleep") { totalCount } other: articles(source: OTHER) { totalCount } none: articles(source: WHO) { totalCount } } }',
    );
    const sum = (name: string) =>
      articleCategories.reduce(
        (total: number, one: Record<string, { totalCount: number }>) => total + (one[name]?.totalCount ?? 0),
        0,
      );
    expect(sum('found')).toBeGreaterThan(0);
    expect(sum('found')).toBeLessThan(sum('all'));
    expect(sum('other')).toBe(sum('all'));
    expect(sum('none')).toBe(0);
  });
});

describe('paging', () => {
  const order = 'orderBy: [READ_TIME_MINUTES_DESC, HEADLINE_ASC]';
  const list = async (part: string): Promise<{ ids: string[]; start: string; end: string; more: boolean[] }> => {
    const { articles } = await read(
      `{ articles(${order}, ${part}) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    );
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = articles.pageInfo;
    const ids = articles.nodes.map((one: { id: string }) => one.id);
    return { ids, start: startCursor, end: endCursor, more: [hasPreviousPage, hasNextPage] };
  };

  test('forward and backward gives every article once, in the same order', async () => {
    const { ids: whole } = await list('first: 100');
    expect(new Set(whole).size).toBe(all.length);
    const forward: string[] = [];
    for (let page = await list('first: 7'); ; page = await list(`first: 7, after: "${page.end}"`)) {
      expect(page.more).toEqual([forward.length > 0, forward.length + page.ids.length < whole.length]);
      forward.push(...page.ids);
      if (!page.more[1]) break;
    }
    expect(forward).toEqual(whole);
    const backward: string[] = [];
    for (let page = await list('last: 7'); ; page = await list(`last: 7, before: "${page.start}"`)) {
      backward.unshift(...page.ids);
      expect(page.more[0]).toBe(backward.length < whole.length);
      if (!page.more[0]) break;
    }
    expect(backward).toEqual(whole);
  });

  test.each([
    ['first: 101', '{ articles(first: 101) { nodes { id } } }'],
    ['first: 0', '{ articles(first: 0) { nodes { id } } }'],
    ['first and last', '{ articles(first: 1, last: 1) { nodes { id } } }'],
    ['a cursor of another list', `{ articles(after: "${encodeCursor('HealthGoalConnection', 1)}") { nodes { id } } }`],
    ['no cursor', '{ articles(before: "1") { nodes { id } } }'],
    ['first: 101 in a nested list', '{ articleCategories { articles(first: 101) { nodes { id } } } }'],
    [
      'a cursor of another list in a nested list',
      `{ articleCategories { articles(after: "${encodeCursor('ArticleCommentConnection', 1)}") { nodes { id } } } }`,
    ],
    ['an id of another type', `mutation { openArticle(input: { articleId: "${top.id}" }) { article { id } } }`],
    ['an id that is none', 'mutation { openArticle(input: { articleId: "1" }) { article { id } } }'],
    [
      'twenty-one terms',
      `{ articles(search: "${Array.from({ length: 21 }, (_, at) => String.fromCharCode(97 + at).repeat(4)).join(' ')}") { nodes { id } } }`,
    ],
  ])('with %s is an error of the caller', async (_, query) => {
    expect(await codeOf(query)).toBe('BAD_USER_INPUT');
  });

  test.each(['ordering: "headline"', 'page: 1', 'orderBy: ID', 'orderBy: "headline"'])(
    'has no argument %s',
    async argument => {
      expect(await codeOf(`{ articles(${argument}) { nodes { id } } }`)).toBe('GRAPHQL_VALIDATION_FAILED');
    },
  );
});

describe('openArticle', () => {
  const views = async (id: number): Promise<number> => {
    await gateway.request('/api/v1/articles/?page_size=1');
    const { rows } = await sql<{ views: number }>`select views from article_view where article_id = ${id}`.execute(
      gateway.database.sql,
    );
    return Number(rows[0]?.views ?? 0);
  };
  /** Opens another article after five seconds, which flushes the view buffer, and waits for the flush. */
  const flushed = async (id: number, expected: number): Promise<void> => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 6_000);
    await gateway.request(`/api/v1/articles/${all.at(-1)?.databaseId}/`);
    const deadline = performance.now() + 10_000;
    while ((await views(id)) < expected && performance.now() < deadline) await views(id);
    expect(await views(id)).toBe(expected);
  };

  test('counts a view, and reading counts none', async () => {
    const { id, databaseId } = all[30] as (typeof all)[0];
    for (let time = 0; time < 3; time++)
      await read(`{ article(databaseId: ${databaseId}) { headline } node(id: "${id}") { id } }`);
    for (const access of [undefined, guest, reader.access]) {
      const data = await read(`mutation { openArticle(input: { articleId: "${id}" }) { article { id } } }`, access);
      expect(data).toEqual({ openArticle: { article: { id } } });
    }
    await flushed(databaseId, 3);
  });

  test('marks a recommendation as seen, which reading does not', async () => {
    const query =
      '{ healthViewer { recommendations(first: 1) { totalCount nodes { id status article { id databaseId } } } } }';
    const { totalCount, nodes } = (await read(query, reader.access)).healthViewer.recommendations;
    const [{ id, status, article }] = nodes;
    expect(status).toBe('PENDING');
    await read(`{ article(databaseId: ${article.databaseId}) { body } }`, reader.access);
    expect((await read(query, reader.access)).healthViewer.recommendations.totalCount).toBe(totalCount);
    await read(`mutation { openArticle(input: { articleId: "${article.id}" }) { article { id } } }`, reader.access);
    const after = await read(
      `${query.slice(0, -1)} node(id: "${id}") { ... on Recommendation { status } } }`,
      reader.access,
    );
    expect(after.node).toEqual({ status: 'SEEN' });
    expect(after.healthViewer.recommendations.totalCount).toBe(totalCount - 1);
  });

  test('of an article that does not exist, or is withdrawn, is not found', async () => {
    const { id, databaseId } = all[31] as (typeof all)[0];
    await sql`update article set withdrawn_at = '2026-01-01T00:00:00Z' where id = ${databaseId}`.execute(
      gateway.database.sql,
    );
    try {
      for (const one of [id, encodeGlobalId('Article', 987_654_321), encodeGlobalId('Article', 0)]) {
        expect(await codeOf(`mutation { openArticle(input: { articleId: "${one}" }) { article { id } } }`)).toBe(
          'NOT_FOUND',
        );
        expect(await read(`{ node(id: "${one}") { id } }`)).toEqual({ node: null });
      }
    } finally {
      await sql`update article set withdrawn_at = null where id = ${databaseId}`.execute(gateway.database.sql);
    }
  });
});

describe('comments', () => {
  test('are added with their parent, and replies have the parent of what they reply to', () => {
    expect(top).toMatchObject({ text: 'top', parent: null, article: { id: first.id }, isMine: true });
    expect(reply).toMatchObject({ text: 'reply', parent: { id: top.id }, isMine: true });
    expect(below).toMatchObject({ text: 'below', parent: { id: top.id } });
  });

  const nested = `{ article(databaseId: ${first.databaseId}) { all: comments { totalCount nodes { text isMine } } tops: comments(isReply: false) { totalCount nodes { text repliesCount replies(last: 1) { totalCount nodes { text } } } } replies: comments(isReply: true) { nodes { text } } } }`;

  test('are listed flat and nested, for guests too', async () => {
    for (const [access, isMine] of [
      [reader.access, true],
      [guest, false],
    ] as const) {
      const { article } = await read(nested, access);
      expect(article).toEqual({
        all: {
          totalCount: 3,
          nodes: [
            { text: 'top', isMine },
            { text: 'reply', isMine: false },
            { text: 'below', isMine },
          ],
        },
        tops: {
          totalCount: 1,
          nodes: [{ text: 'top', repliesCount: 2, replies: { totalCount: 2, nodes: [{ text: 'below' }] } }],
        },
        replies: { nodes: [{ text: 'reply' }, { text: 'below' }] },
      });
    }
  });

  test('are for callers with an account or a guest account alone, and the article stays readable', async () => {
    const { json } = await ask(`{ article(databaseId: ${first.databaseId}) { commentCount comments { totalCount } } }`);
    expect(json.data.article).toEqual({ commentCount: 3, comments: null });
    expect(json.errors).toHaveLength(1);
    expect(json.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const node = await ask(`{ node(id: "${top.id}") { id } }`);
    expect(node.json.data).toEqual({ node: null });
    expect(node.json.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  test('of people in a block with the caller are hidden on every path', async () => {
    await sql`insert into peer_connection (asker_id, asked_id, status, blocked_by_id, created_at, responded_at)
      values (${blocker.id}, ${reader.id}, 'blocked', ${blocker.id}, now(), now())`.execute(gateway.database.sql);
    const { article } = await read(nested, blocker.access);
    expect(article.all).toMatchObject({ totalCount: 1, nodes: [{ text: 'reply' }] });
    expect(article.tops).toEqual({ totalCount: 0, nodes: [] });
    const data = await read(
      `{ node(id: "${top.id}") { id } reply: node(id: "${reply.id}") { ... on ArticleComment { text parent { text } replies { totalCount } } } }`,
      blocker.access,
    );
    expect(data).toEqual({ node: null, reply: { text: 'reply', parent: null, replies: { totalCount: 0 } } });
  });

  test('are deleted by their author alone', async () => {
    const comment = await addComment('to be deleted', reader, undefined, third.id);
    const deletion = `mutation { deleteArticleComment(input: { commentId: "${comment.id}" }) { deletedId } }`;
    expect(await codeOf(deletion, other.access)).toBe('NOT_FOUND');
    expect(await codeOf(deletion, guest)).toBe('FORBIDDEN');
    expect(await read(deletion, reader.access)).toEqual({ deleteArticleComment: { deletedId: comment.id } });
    expect(await codeOf(deletion, reader.access)).toBe('NOT_FOUND');
    expect(await read(`{ node(id: "${comment.id}") { id } }`, reader.access)).toEqual({ node: null });
  });

  test('to an unknown article or comment are refused', async () => {
    const add = (input: object) =>
      ask(
        'mutation($input: AddArticleCommentInput!) { addArticleComment(input: $input) { comment { id } } }',
        other.access,
        {
          input: { text: 'x', ...input },
        },
      );
    const code = async (input: object) => (await add(input)).json.errors[0].extensions.code;
    expect(await code({ articleId: encodeGlobalId('Article', 987_654_321) })).toBe('NOT_FOUND');
    expect(await code({ articleId: top.id })).toBe('BAD_USER_INPUT');
    expect(await code({ articleId: first.id, parentId: first.id })).toBe('BAD_USER_INPUT');
    expect(await code({ articleId: second.id, parentId: top.id })).toBe('BAD_USER_INPUT');
    const paths = async (input: object) =>
      (await add(input)).json.errors[0].extensions.problems.map((one: { path: unknown }) => one.path);
    expect(await paths({ articleId: second.id, parentId: top.id })).toEqual([['input', 'parentId']]);
    expect(await paths({ articleId: second.id, text: ' ' })).toEqual([['input', 'text']]);
  });
});

describe('bookmarks and recommendations', () => {
  test('of the caller have the time of the bookmark, the newest first', async () => {
    const query = '{ healthViewer { bookmarks { totalCount edges { bookmarkedAt node { id isBookmarked } } } } }';
    const { bookmarks } = (await read(query, reader.access)).healthViewer;
    expect(bookmarks.totalCount).toBe(3);
    for (const { bookmarkedAt, node } of bookmarks.edges) {
      expect(bookmarkedAt).toBe('2026-11-01T12:00:00.000000Z');
      expect(node.isBookmarked).toBe(true);
    }
    expect((await read(query, other.access)).healthViewer.bookmarks).toEqual({ totalCount: 0, edges: [] });
    const asGuest = await ask(query, guest);
    expect(asGuest.json.data).toEqual({ healthViewer: { bookmarks: null } });
    expect(asGuest.json.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('are created by the mutation alone', async () => {
    const query = '{ healthViewer { recommendations { totalCount } } }';
    for (let time = 0; time < 2; time++)
      expect((await read(query, other.access)).healthViewer.recommendations.totalCount).toBe(0);
    const { refreshRecommendations } = await read(
      'mutation { refreshRecommendations(input: { clientMutationId: "x" }) { clientMutationId person { recommendations(first: 5) { totalCount nodes { reason score status article { headline } } } } } }',
      other.access,
    );
    const { recommendations } = refreshRecommendations.person;
    expect(refreshRecommendations.clientMutationId).toBe('x');
    expect(recommendations.totalCount).toBeGreaterThanOrEqual(5);
    expect(recommendations.nodes[0]).toMatchObject({ status: 'PENDING', article: { headline: expect.any(String) } });
    const { results } = (await send(gateway, 'GET', '/articles/recommended/', undefined, other.access)).json;
    expect(recommendations.nodes.map((one: { reason: string }) => one.reason)).toEqual(
      results.slice(0, 5).map((one: { reason: string }) => one.reason),
    );
  });

  test('are dismissed by the caller alone, and belong to the caller alone', async () => {
    const [{ id, article }] = (
      await read('{ healthViewer { recommendations(last: 1) { nodes { id article { headline } } } } }', reader.access)
    ).healthViewer.recommendations.nodes;
    const dismissal = `mutation { dismissRecommendation(input: { recommendationId: "${id}" }) { recommendation { id status article { headline } } } }`;
    expect(await codeOf(dismissal, other.access)).toBe('NOT_FOUND');
    expect(await read(`{ node(id: "${id}") { id } }`, other.access)).toEqual({ node: null });
    for (let time = 0; time < 2; time++)
      expect(await read(dismissal, reader.access)).toEqual({
        dismissRecommendation: { recommendation: { id, status: 'DISMISSED', article } },
      });
  });
});

test('the graph has what the REST contract reads', async () => {
  for (const query of [
    '{ recommendedArticles(orderBy: [SCORE_ASC]) { totalCount } }',
    '{ articles(first: 1) { nodes { comments(orderBy: [ID_DESC]) { nodes { articleDatabaseId parentDatabaseId } } } } }',
    '{ healthViewer { bookmarks(orderBy: [BOOKMARKED_AT_ASC]) { totalCount pageInfo { asOf } } } }',
  ])
    await read(query, reader.access);
});

test('a comment is deleted of the article that is named', async () => {
  const remove = (articleId: string): string =>
    `mutation { deleteArticleComment(input: { commentId: "${top.id}", articleId: "${articleId}" }) { deletedId } }`;
  expect(await codeOf(remove(second.id), reader.access)).toBe('NOT_FOUND');
});
