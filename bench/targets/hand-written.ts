import type { webcrypto } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { benchSecret } from '../load-build.ts';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/**
 * A hand-written server for the article endpoints, with Express 5 and pg: parameterized SQL, rows and count concurrently,
 * categories aggregated and times formatted by PostgreSQL. Its responses equal the gateway's byte for byte, which
 * `bench/equal-responses.ts` checks before anything is measured.
 */

// Ids and counts are published as JSON numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const articleColumns = (
  mine: string,
): string => `a.id, a.headline, a.summary, a.image_url, a.author, a.source, a.source_url,
  (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug) order by c.name, c.id), '[]')
     from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id) as categories,
  a.read_time_minutes, to_char(a.published_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as published_at,
  a.like_count, a.comment_count, ${mine}`;
const listColumns = articleColumns('false as is_liked, false as is_bookmarked');
const listColumnsFor = (person: string): string =>
  articleColumns(`exists (select 1 from article_like l where l.user_id = ${person} and l.article_id = a.id) as is_liked,
    exists (select 1 from article_bookmark k where k.user_id = ${person} and k.article_id = a.id) as is_bookmarked`);

const orderings: Record<string, string> = {
  published_at: 'a.published_at',
  like_count: 'a.like_count',
  comment_count: 'a.comment_count',
  read_time_minutes: 'a.read_time_minutes',
  headline: 'a.headline',
  id: 'a.id',
};
const sources = ['who', 'cdc', 'nih', 'nhs', 'medlineplus', 'mayo', 'other'];

function text(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value.at(-1) : value;
  return typeof one === 'string' && one !== '' ? one : undefined;
}

function orderBy(ordering: string | undefined): string {
  const terms = (ordering ?? '')
    .split(',')
    .map(term => term.trim())
    .filter(term => Object.hasOwn(orderings, term.replace(/^-/, '')));
  if (terms.length === 0) terms.push('-published_at');
  const sorted = terms.map(term =>
    term.startsWith('-') ? `${orderings[term.slice(1)]} desc` : `${orderings[term]} asc`,
  );
  sorted.push(terms.at(-1)?.startsWith('-') ? 'a.id desc' : 'a.id asc');
  return sorted.join(', ');
}

function searchTerms(search: string): string[] {
  return [...search.matchAll(/"([^"]*)"|'([^']*)'|[^\s,]+/g)]
    .map(found => (found[1] ?? found[2] ?? found[0]).trim())
    .filter(term => term !== '');
}

/** The condition of the list and its parameters. */
function conditions(query: Request['query']): { where: string; values: unknown[] } {
  const values: unknown[] = [new Date()];
  const where = ['a.withdrawn_at is null', 'a.published_at <= $1'];
  const source = text(query.source);
  if (source) where.push(`a.source = $${values.push(source)}`);
  const category = text(query.categories__slug);
  if (category) {
    where.push(`a.id in (select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where c.slug = $${values.push(category)})`);
  }
  const terms = searchTerms(text(query.search) ?? '');
  if (terms.length > 0) {
    const phrases = terms.filter(term => term.includes(' '));
    where.push(`a.id = any (array(select article_id
      from generate_series(0, (select article_block(max(article_id)) from article_text)) block, article_text t
      where article_lexemes(t.article_id, t.filters, t.words, t.heading) @@ substr(replace(
          ' & ' || search_query($${values.push(terms)}::text[])::text, ' & ''', ' & ''' || block || ':'), 4)::tsquery
        and words like all
        (array(select '%' || search_words(phrase) || '%' from unnest($${values.push(phrases)}::text[]) phrase))))`);
  }
  return { where: where.join(' and '), values };
}

/** The same URL with another page; other query parameters are unchanged. */
function link(request: Request, page: number): string {
  const mark = request.originalUrl.indexOf('?');
  const pairs = (mark < 0 ? '' : request.originalUrl.slice(mark + 1)).split('&').filter(pair => pair !== '');
  const at = pairs.findIndex(pair => pair.startsWith('page='));
  if (at >= 0) pairs.splice(at, 1, ...(page === 1 ? [] : [`page=${page}`]));
  else if (page !== 1) pairs.push(`page=${page}`);
  const query = pairs.length > 0 ? `?${pairs.join('&')}` : '';
  return `${request.protocol}://${request.get('host')}${request.path}${query}`;
}

function send(response: Response, status: number, body: unknown): void {
  response
    .status(status)
    .set({
      Vary: 'Authorization, Origin',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    })
    .json(body);
}

const refuse = (response: Response, detail: string): void => send(response, 404, { detail, code: 'not_found' });

/** Executes one statement. */
type Ask = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/** The caller, or undefined: the token is verified and its session looked up, as the API requires. */
async function callerOf(request: Request, ask: Ask, key: Promise<webcrypto.CryptoKey>): Promise<number | undefined> {
  const [scheme, token] = (request.get('authorization') ?? '').split(' ');
  if (scheme !== 'Bearer' || !token) return undefined;
  const { payload } = await jwtVerify(token, await key, { algorithms: ['HS256'], audience: 'portico-health' });
  const found = await ask(
    `select u.is_guest from users u join session s on s.user_id = u.id
     where u.id = $1 and s.id = $2 and u.is_active and u.deleted_at is null and s.ended_at is null and s.expires_at > $3`,
    [payload.user_id, payload.sid, new Date()],
  );
  return found.rows[0]?.is_guest === false ? (payload.user_id as number) : undefined;
}

/** The feed of a person with enough recommendations; it checks that, and does not compute more. */
function addRecommended(app: Express, ask: Ask): void {
  const [sessionKey] = deriveKeys(readConfig({ SECRET_KEY: benchSecret })).sessionTokens;
  const key = crypto.subtle.importKey('raw', new Uint8Array(sessionKey), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  app.get('/api/v1/articles/recommended/', async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const caller = await callerOf(request, ask, key);
    if (caller === undefined) return send(response, 401, { detail: 'Authentication credentials were not provided.' });
    const page = Number(text(request.query.page) ?? 1);
    const from = `article_recommendation r join article a on a.id = r.article_id
      where r.user_id = $1 and r.status = 'pending' and a.withdrawn_at is null and a.published_at <= $2`;
    const values = [caller, new Date()];
    const open = await ask(`select count(*) as open from (select 1 from ${from} limit 5) found`, values);
    if (open.rows[0].open < 5) throw new Error('More recommendations would have to be found.');
    const [rows, total] = await Promise.all([
      ask(
        `select ${listColumnsFor('$1')}, r.id as recommendation_id, r.score, r.reason, r.status,
           to_char(r.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as recommended_at
         from ${from} order by r.score desc, a.id desc limit $3 offset $4`,
        [...values, 20, (page - 1) * 20],
      ),
      ask(`select count(*) as count from ${from}`, values),
    ]);
    const count: number = total.rows[0]?.count ?? 0;
    const last = Math.max(1, Math.ceil(count / 20));
    if (page > last) return refuse(response, 'Invalid page.');
    send(response, 200, {
      count,
      next: page < last ? link(request, page + 1) : null,
      previous: page > 1 ? link(request, page - 1) : null,
      results: rows.rows,
    });
  });
}

function addArticles(app: Express, ask: Ask): void {
  // Before the single article, whose path would match it as an id.
  addRecommended(app, ask);
  app.get('/api/v1/articles/', async (request, response) => {
    const { query } = request;
    const pageText = text(query.page);
    if (pageText !== undefined && !/^\s*\+?0*[1-9]\d*\s*$/.test(pageText)) return refuse(response, 'Invalid page.');
    const page = Math.min(Number(pageText ?? 1), 2 ** 31 - 1);
    const pageSize = Number(text(query.page_size));
    const size = Number.isInteger(pageSize) && pageSize >= 1 ? Math.min(pageSize, 100) : 20;
    const source = text(query.source);
    if (source && !sources.includes(source)) {
      return send(response, 400, { source: [`Select a valid choice. ${source} is not one of the available choices.`] });
    }
    const { where, values } = conditions(query);
    const [rows, total] = await Promise.all([
      ask(
        `select ${listColumns} from article a where ${where} order by ${orderBy(text(query.ordering))}
         limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, size, (page - 1) * size],
      ),
      ask(`select count(*) as count from article a where ${where}`, values),
    ]);
    const count: number = total.rows[0]?.count ?? 0;
    const last = Math.max(1, Math.ceil(count / size));
    if (page > last) return refuse(response, 'Invalid page.');
    send(response, 200, {
      count,
      next: page < last ? link(request, page + 1) : null,
      previous: page > 1 ? link(request, page - 1) : null,
      results: rows.rows,
    });
  });

  app.get('/api/v1/articles/:id/', async (request, response) => {
    const id = Number(request.params.id);
    if (!Number.isSafeInteger(id)) return refuse(response, 'Not found.');
    const values = [new Date(), id];
    const [found, related] = await Promise.all([
      ask(
        `select ${listColumns}, a.body, a.tags, to_char(a.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
         from article a where a.withdrawn_at is null and a.published_at <= $1 and a.id = $2`,
        values,
      ),
      ask(
        `select ${listColumns} from (
           select other.article_id, count(*) as shared
           from article_category own join article_category other using (category_id)
           join article a on a.id = other.article_id
           where own.article_id = $2 and other.article_id <> $2 and a.withdrawn_at is null and a.published_at <= $1
           group by other.article_id, a.published_at
           order by shared desc, a.published_at desc, other.article_id desc
           limit 3
         ) near join article a on a.id = near.article_id
         order by near.shared desc, a.published_at desc, a.id desc`,
        values,
      ),
    ]);
    if (!found.rows[0]) return refuse(response, 'Not found.');
    send(response, 200, { ...found.rows[0], related: related.rows });
  });
}

const poolOf = (url: string): pg.Pool =>
  new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC -c statement_timeout=10000' });

function connect(url: string): Ask {
  const pool = poolOf(url);
  return (text, values) => pool.query(text, values);
}

/** Named statements, so that a connection parses each once, as in the gateway. */
function connectPreparing(url: string): Ask {
  const pool = poolOf(url);
  const names = new Map<string, string>();
  return (text, values) => {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return pool.query({ name, text, values });
  };
}

async function startBehindSteps(ask: Ask): Promise<string> {
  const app = await withProductionSteps();
  addArticles(app, ask);
  return listen(app);
}

/** Behind the production steps. */
export const start: Target = url => startBehindSteps(connect(url));

/** The same with prepared statements, which are rare in hand-written servers. */
export const startPrepared: Target = url => startBehindSteps(connectPreparing(url));

/** Plain Express as in tutorials: no request id, log, metrics or security headers. */
export const startBare: Target = url => {
  const app = express();
  addArticles(app, connect(url));
  return listen(app);
};
