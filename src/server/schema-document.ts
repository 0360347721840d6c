import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { GraphView } from './graph-views.ts';
import { printGraph } from './print-graph.ts';

/** Seconds for which a cache may serve the schema without asking: a deployment changes it. */
const maxAgeSeconds = 300;

/** The schema in SDL, for code generators, which need no introspection then. Printed at the first request. */
export function schemaDocument({ graph }: Pick<GraphView, 'graph'>): RequestHandler {
  let printed: { text: string; etag: string } | undefined;
  return (_request, response) => {
    printed ??= withEtag(printGraph(graph()));
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      'Content-Type': 'text/plain; charset=utf-8',
      ETag: printed.etag,
    });
    // Responds 304 to a matching If-None-Match.
    response.send(printed.text);
  };
}

function withEtag(text: string): { text: string; etag: string } {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
