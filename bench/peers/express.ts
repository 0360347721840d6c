import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type pg from 'pg';
import { type DestinationStream, destination } from 'pino';
import { pinoHttp } from 'pino-http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Target } from '../target.ts';
import { articlePage, notFound, openPool, pageNumber } from './article-page.ts';
import { listen } from './listen.ts';

/** Express 5 and `pg`, by hand. */
function addArticles(app: Express, pool: pg.Pool): Express {
  app.get('/api/v1/articles/', async (request, response) => {
    const page = pageNumber(request.query.page);
    const list = `${request.protocol}://${request.host}/api/v1/articles/`;
    const body = page && (await articlePage(pool, list, page));
    if (body) response.json(body);
    else response.status(404).json(notFound);
  });
  return app;
}

function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  return app;
}

/** Counts requests and their durations, for Prometheus. */
function metrics(): RequestHandler {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'status'];
  const requests = new Counter({ name: 'http_requests_total', help: 'Requests.', labelNames, registers: [registry] });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Durations.',
    labelNames: ['method'],
    registers: [registry],
  });
  return ({ method }, response, next) => {
    const end = durations.startTimer({ method });
    response.once('finish', () => {
      end();
      requests.inc({ method, status: response.statusCode });
    });
    next();
  };
}

/** The packages that most people take for it, with the headers left out of the log line. */
function addDuties(app: Express, log?: DestinationStream): Express {
  const options = {
    genReqId(_request: unknown, response: { setHeader(name: string, value: string): void }) {
      const id = randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    serializers: {
      req: ({ id, method, url }: { id: string; method: string; url: string }) => ({ id, method, url }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  };
  app.use(log ? pinoHttp(options, log) : pinoHttp(options));
  app.use(metrics());
  app.use(helmet());
  return app;
}

const serve = (app: Express, url: string): Promise<string> => listen(createServer(addArticles(app, openPool(url))));

/** Nothing beside the route. */
export const startBare: Target = url => serve(createApp(), url);

/** With a request id, a log line, security headers and metrics. */
export const startWithDuties: Target = url => serve(addDuties(createApp()), url);

/** The same, whose log is written 4 KB at a time: a process that is killed loses lines, which is why it is not pino's default. */
export const startWithBufferedLog: Target = url =>
  serve(addDuties(createApp(), destination({ dest: 1, sync: false, minLength: 4096 })), url);
