import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import express, { type RequestHandler, type Router } from 'express';
import { computeEtag, isFresh } from 'operation-rest';
import type { DemoAccess } from '../demo-access.ts';
import { faviconPath } from '../favicon.ts';
import { exampleTabs } from './example-tabs.ts';

/** The parts of GraphiQL: the package has them in one document of 9 MB, which no browser would keep. */
interface GraphiqlAssets {
  script: Buffer;
  style: Buffer;
}

let assets: Promise<GraphiqlAssets> | undefined;

/** Compressed with gzip: 9.1 MB become 2.4 MB in 0.3 s of a thread of zlib. Loaded when the explorer is first opened. */
function loadAssets(): Promise<GraphiqlAssets> {
  assets ??= (async () => {
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
    const document = renderGraphiQL();
    const style = between(document, '<style>', '</style>');
    const script = between(document, '<script>', 'YogaGraphiQL.renderYogaGraphiQL(');
    const compress = promisify(gzip);
    return { script: await compress(`${script}${start}`), style: await compress(style) };
  })();
  return assets;
}

/** @throws TypeError if another version of the package has another layout */
function between(text: string, from: string, to: string): string {
  const [begin, end] = [text.indexOf(from), text.lastIndexOf(to)];
  if (begin < 0 || end < begin) throw new TypeError(`The document of GraphiQL has no part between ${from} and ${to}.`);
  return text.slice(begin + from.length, end);
}

/**
 * Options are data of the page, so that the policy needs no exception for inline scripts. A query in the fragment, which no log has,
 * opens in a tab of its own and is not run.
 */
const start = `
const options = JSON.parse(document.getElementById('options').textContent);
const query = new URLSearchParams(location.hash.slice(1)).get('query');
if (query) {
  const { headers } = options.defaultTabs.find(tab => tab.headers);
  Object.assign(options, { query, defaultTabs: [{ query, headers }, ...options.defaultTabs] });
}
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), options);
`;

/** The editor adds style elements, and runs its language services in workers that it makes of blobs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `/graphiql`: an explorer of the graph that needs no other origin. Its tabs hold an example of each persona; where the demo world is, they
 * hold its credentials, for the browser that has opened the link of the start.
 */
export function graphiqlRouter(demo: DemoAccess | undefined): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', (request, response) => {
    const options = {
      title: 'Portico',
      endpoint: '/graphql',
      defaultTabs: exampleTabs(demo?.shownTo(request)),
      shouldPersistHeaders: false,
    };
    response
      .set({ 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-store' })
      .type('html')
      .send(page(options));
  });
  router.get('/graphiql.js', asset('script', 'text/javascript; charset=utf-8'));
  router.get('/graphiql.css', asset('style', 'text/css; charset=utf-8'));
  return router;
}

function asset(name: keyof GraphiqlAssets, type: string): RequestHandler {
  return async (request, response) => {
    // Revalidated: the address does not change with the version.
    response.set({ 'Cache-Control': 'no-cache', 'Content-Type': type, ETag: etag, Vary: 'Accept-Encoding' });
    if (isFresh(request.headers, response)) {
      response.status(304).end();
      return;
    }
    const body = (await loadAssets())[name];
    if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').send(body);
    else pipeline(Readable.from([body]), createGunzip(), response, () => {});
  };
}

/** Of the package. A test compares it with the installed one. */
export const version = '5.24.1';
const etag = computeEtag(`${version} ${start}`);

function page(options: object): string {
  // Text of a script element ends at any \`</\`.
  const json = JSON.stringify(options).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL explorer · Portico</title>
<link rel="icon" href="${faviconPath}">
<link rel="stylesheet" href="/graphiql/graphiql.css">
</head>
<body id="body" class="no-focus-outline">
<noscript>The explorer needs JavaScript. The schema is at /schema.graphql.</noscript>
<div id="root"></div>
<script type="application/json" id="options">${json}</script>
<script src="/graphiql/graphiql.js"></script>
</body>
</html>
`;
}
