import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Facade } from 'operation-rest';
import { adapterConformance, type ConformanceServer } from 'operation-rest/conformance';
import { adapters, listenThrough } from './adapters.ts';

describe.each(adapters)('the adapter of %s', adapter => {
  adapterConformance({
    test,
    async listen(facade) {
      const { server, url } = await listenThrough(facade, adapter);
      return {
        url,
        close() {
          server.closeAllConnections();
          return new Promise(resolve => server.close(resolve));
        },
      };
    },
    hostDecides: adapter === 'fetch' ? ['target', 'methods'] : adapter === 'fastify' ? ['target'] : [],
  });
});

/** Serves by `listener` on plain Node. */
async function serve(listener: RequestListener): Promise<ConformanceServer> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}

describe('an adapter with a defect', () => {
  const faults: Record<string, [adapt: (facade: Facade) => RequestListener, refused: RegExp]> = {
    'that decodes targets': [
      facade => (request, response) => {
        request.url = decodeURI(request.url ?? '').replaceAll('%2F', '/');
        facade.handle(request, response);
      },
      /the path and the query/,
    ],
    'that drops the query': [
      facade => (request, response) => {
        request.url = request.url?.replace(/\?.*/, '');
        facade.handle(request, response);
      },
      /several values of a header, and links/,
    ],
    'that reads bodies first': [
      facade => (request, response) => {
        request.resume().once('end', () => facade.handle(request, response));
      },
      /a JSON body/,
    ],
    'that joins the values of a header by semicolons': [
      facade => (request, response) => {
        const set = response.setHeader.bind(response);
        response.setHeader = (name, value) => set(name, Array.isArray(value) ? value.join('; ') : value);
        facade.handle(request, response);
      },
      /several values of a header/,
    ],
    'that sends 200 always': [
      facade => (request, response) => {
        Object.defineProperty(response, 'statusCode', { get: () => 200, set() {} });
        facade.handle(request, response);
      },
      /304 without a body/,
    ],
    'that handles every request': [
      facade => (request, response) => {
        if (!facade.handle(request, response)) response.writeHead(404).end();
      },
      /leaves requests outside/,
    ],
  };

  test.each(Object.entries(faults))('%s does not pass', async (_name, [adapt, refused]) => {
    const registered: [name: string, run: () => Promise<void>][] = [];
    const listen = (facade: Facade): Promise<ConformanceServer> => serve(adapt(facade));
    adapterConformance({ test: (name, run) => registered.push([name, run]), listen });
    const [chosen] = registered.filter(([name]) => refused.test(name));
    await expect(chosen?.[1]()).rejects.toThrow();
  });
});
