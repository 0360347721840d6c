import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Facade } from './facade.ts';

/** The part of a Fastify 5 instance that the plugin uses. */
interface FastifyLike {
  addHook(
    name: 'onRequest',
    hook: (
      request: { raw: IncomingMessage },
      reply: { raw: ServerResponse; hijack(): unknown },
      done: () => void,
    ) => void,
  ): unknown;
}

/** A plugin of Fastify 5. */
export type FastifyPlugin = (instance: FastifyLike, options: unknown, done: (error?: Error) => void) => void;

/**
 * Serves a facade as a plugin: `fastify.register(fastifyPlugin(facade))`. It is not encapsulated. Requests below the base paths are
 * answered in the hook `onRequest`, before Fastify routes them or reads a body; its later hooks do not run for them. Fastify itself
 * refuses paths that are not percent-encoded correctly; `fastifyServerFactory` leaves these to the facade as well.
 */
export function fastifyPlugin(facade: Pick<Facade, 'handle'>): FastifyPlugin {
  const plugin: FastifyPlugin = (instance, _options, done) => {
    instance.addHook('onRequest', ({ raw }, reply, next) => {
      if (!facade.handle(raw, reply.raw)) next();
      else reply.hijack();
    });
    done();
  };
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** The option `serverFactory` of Fastify: a server that asks the facade first, and then Fastify. */
export function fastifyServerFactory(facade: Pick<Facade, 'handle'>): (handler: RequestListener) => Server {
  return handler =>
    createServer((request, response) => {
      if (!facade.handle(request, response)) handler(request, response);
    });
}
