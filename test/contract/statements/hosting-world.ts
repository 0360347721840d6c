import { type Answer, type TestGateway, testGateway } from '../../harness/gateway.ts';
import { call } from '../../harness/hosting.ts';
import { officialCalls } from '../official-calls/official-calls.ts';
import { type OfficialCall, type OfficialWorld, officialWorld } from '../official-calls/official-world.ts';

interface Request {
  /** The complete header `Authorization`; that of wren by default, and null for none. */
  as?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Running servers with the demo data, and what statements about the hosting API ask of them. */
export interface HostingServer {
  gateway: TestGateway;
  /** The same data behind a server that counts requests. */
  limited: TestGateway;
  /** The same data behind a server that serves source imports. */
  importing: TestGateway;
  world: OfficialWorld;
  /** Sends `GET /events`. */
  ask(line: string, request?: Request): Promise<Answer>;
  /** Sends the request of an operation that succeeds; the last one of several. */
  example(operation: string): Promise<Answer>;
  /** The text of an answer in the form that `accept` asks for, which may be named as JSON and be none. */
  text(path: string, accept: string): Promise<string>;
  /** Writes a file into a repository, and returns the answer. */
  put(repository: string, path: string, text: string, more?: object): Promise<Answer>;
}

export async function hostingServer(): Promise<HostingServer> {
  const now = '2026-10-01T08:10:00Z';
  const gateway = await testGateway({ data: 'demo', now });
  const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: '1' } });
  const importing = await testGateway({
    beside: gateway,
    settings: { SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' },
  });
  const world = await officialWorld(importing);
  const { json: document } = await gateway.request('/openapi/hosting.json');
  const methods = new Map(
    Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
      .flatMap(one => Object.entries(one))
      .map(([method, { operationId }]) => [operationId, method.toUpperCase()]),
  );
  const ask: HostingServer['ask'] = (line, { as = world.wren, body, headers } = {}) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    return call(gateway, method, path, as ?? undefined, body, headers);
  };
  return {
    gateway,
    limited,
    importing,
    world,
    ask,
    async example(operation) {
      const made = (await officialCalls[operation]?.(world)) ?? [];
      const one = [made].flat().at(-1) as OfficialCall | undefined;
      if (!one) throw new Error(`There is no request of ${operation}.`);
      const accept: Record<string, string> = one.accept === undefined ? {} : { accept: one.accept };
      return call(importing, methods.get(operation) ?? 'GET', one.path, one.authorization, one.body, accept);
    },
    async text(path, accept) {
      const headers = { accept, authorization: world.wren, 'user-agent': 'portico tests' };
      return (await fetch(`${gateway.url}${path}`, { headers })).text();
    },
    put: (repository, path, text, more = {}) =>
      ask(`PUT ${repository}/contents/${path}`, {
        body: { message: `Write ${path}`, content: Buffer.from(text).toString('base64'), ...more },
      }),
  };
}
