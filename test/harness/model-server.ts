import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';

/** A request that the model server was sent. */
export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: { model: string; stream?: boolean; messages: { role: string; content: string }[] };
  /** Settles when the connection of this request is closed, with whether the answer was whole by then. */
  closed: Promise<boolean>;
}

/** How the next requests are answered, one after the other; the last one goes on. */
export type ModelAnswer = (response: ServerResponse, request: ModelRequest) => void;

/** A real HTTP server on loopback that speaks the chat completions of OpenAI-compatible servers, well or badly. */
export interface ModelServer {
  /** What AI_BASE_URL is set to. */
  url: string;
  requests: ModelRequest[];
  /** Forgets the requests so far and answers as said from now on. */
  answer(...answers: ModelAnswer[]): void;
  /** The next request, or the one that is there already; waits ten seconds at most. */
  asked(): Promise<ModelRequest>;
}

export async function modelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let answers: ModelAnswer[] = [says('Nothing was set.')];
  let arrived = (): void => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const closed = new Promise<boolean>(settle => {
        response.once('close', () => settle(response.writableFinished));
      });
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const asked = { path: request.url ?? '', headers: request.headers, body, closed };
      requests.push(asked);
      arrived();
      const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
      next?.(response, asked);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise<void>(resolve => server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer(...next) {
      requests.length = 0;
      answers = next;
    },
    async asked() {
      const [there] = requests;
      if (there) return there;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('The model was not asked.')), 10_000);
        arrived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return requests[0] as ModelRequest;
    },
  };
}

/** A good answer, streamed in small pieces where the request wants that. */
export function says(text: string): ModelAnswer {
  return (response, { body }) => {
    if (!body.stream) {
      sendJson(response, completionOf(text));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) response.write(chunkOf(piece));
    response.end('data: [DONE]\n\n');
  };
}

export function completionOf(content: unknown): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'test',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  };
}

/** One event of a stream. */
export function chunkOf(content: unknown): string {
  const chunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test',
    choices: [{ index: 0, delta: { content } }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
