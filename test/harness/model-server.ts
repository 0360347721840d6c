import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';

/** A request received by the model server. */
export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: { model: string; stream?: boolean; messages: { role: string; content: string }[] };
  /** Resolves when the connection of this request is closed: whether the response was complete. */
  closed: Promise<boolean>;
}

/** Handlers of the next requests, in order; the last one repeats. */
export type ModelAnswer = (response: ServerResponse, request: ModelRequest) => void;

/**
 * A real HTTP server on a loopback port with the chat completions API of OpenAI-compatible servers, correct or faulty.
 */
export interface ModelServer {
  /** Value of AI_BASE_URL. */
  url: string;
  requests: ModelRequest[];
  /** Clears the received requests and sets the handlers of the next ones. */
  answer(...answers: ModelAnswer[]): void;
  /** The first request since `answer` was called; waits up to ten seconds. */
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
      const received = { path: request.url ?? '', headers: request.headers, body, closed };
      requests.push(received);
      arrived();
      const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
      next?.(response, received);
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
        const timer = setTimeout(() => reject(new Error('The model server received no request.')), 10_000);
        arrived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return requests[0] as ModelRequest;
    },
  };
}

/** A valid completion, streamed in small chunks if the request asks for a stream. */
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

/** One server-sent event of a stream. */
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
