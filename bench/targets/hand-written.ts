import express, { type Express, type Request, type Response } from 'express';
import pg from 'pg';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/**
 * What one would write by hand for the two article endpoints, with Express 5 and pg and nothing between: parametrised
 * SQL, rows and count side by side, categories aggregated by PostgreSQL, times printed by PostgreSQL. Its answers are
 * byte for byte the gateway's; `bench/equal-answers.ts` holds them against each other before anything is measured.
 */

// Ids and counts are published as JSON numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const listColumns = `a.id, a.headline, a.summary, a.image_url, a.author, a.source, a.source_url,
  (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug) order by c.name, c.id), '[]')
     from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id) as categories,
  a.read_time_minutes, to_char(a.published_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as published_at,
  a.like_count, a.comment_count, false as is_liked, false as is_bookmarked`;

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

function orderBy(asked: string | undefined): string {
  const terms = (asked ?? '')
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
  for (const term of searchTerms(text(query.search) ?? '')) {
    const at = values.push(`%${term.replace(/[\\%_]/g, '\\$&')}%`);
    where.push(`a.id in (select id from article where search_text like lower($${at})
      union all select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where lower(c.name) like lower($${at}))`);
  }
  return { where: where.join(' and '), values };
}

/** The same address on another page; everything else in the query stays as it was sent. */
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

/** Sends one statement. */
type Ask = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

function addArticles(app: Express, ask: Ask): void {
  app.get('/api/v1/articles/', async (request, response) => {
    const { query } = request;
    const asked = text(query.page);
    if (asked !== undefined && !/^\s*\+?0*[1-9]\d*\s*$/.test(asked)) return refuse(response, 'Invalid page.');
    const page = Math.min(Number(asked ?? 1), 2 ** 31 - 1);
    const wanted = Number(text(query.page_size));
    const size = Number.isInteger(wanted) && wanted >= 1 ? Math.min(wanted, 100) : 20;
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
        `select ${listColumns}, a.body, a.tags, to_char(a.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as updated_at
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

/** Every statement by a name of its own, so that a connection parses it once, as the gateway does. */
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

/** Mounted behind the production steps. */
export const start: Target = url => startBehindSteps(connect(url));

/** The same with prepared statements, which few write by hand. */
export const startPrepared: Target = url => startBehindSteps(connectPreparing(url));

/** Nothing but Express, as tutorials leave it: no id, no log, no metrics, no security headers. */
export const startBare: Target = url => {
  const app = express();
  addArticles(app, connect(url));
  return listen(app);
};
