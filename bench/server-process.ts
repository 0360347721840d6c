import type { Target } from './target.ts';

/** Messages of a server process to the runner. */
export type ServerMessage =
  | { kind: 'ready'; address: string }
  /** CPU time of this process since it started, user and system together, in microseconds. */
  | { kind: 'cpu'; microseconds: number };

/** Messages of the runner to a server process. */
export type RunnerMessage = 'cpu';

const targets: Record<string, () => Promise<Target>> = {
  gateway: async () => (await import('./targets/gateway.ts')).start,
  'gateway-unlimited': async () => (await import('./targets/gateway.ts')).startUnlimited,
  'gateway-limited': async () => (await import('./targets/gateway.ts')).startLimited,
  'gateway-limited-jobs': async () => (await import('./targets/gateway.ts')).startLimitedWithJobs,
  'gateway-page-data': async () => (await import('./targets/gateway-page-data.ts')).start,
  'hand-written': async () => (await import('./targets/hand-written.ts')).start,
  'hand-written-bare': async () => (await import('./targets/hand-written.ts')).startBare,
  'hand-written-prepared': async () => (await import('./targets/hand-written.ts')).startPrepared,
  'hand-written-dashboard': async () => (await import('./targets/hand-written-dashboard.ts')).start,
  'hand-written-poll': async () => (await import('./targets/hand-written-poll.ts')).start,
  'hand-written-contents': async () => (await import('./targets/hand-written-contents.ts')).start,
  sofa: async () => (await import('./targets/sofa.ts')).start,
  'sofa-cut': async () => (await import('./targets/sofa.ts')).startCut,
  'peer-express': async () => (await import('./peers/express.ts')).startBare,
  'peer-express-duties': async () => (await import('./peers/express.ts')).startWithDuties,
  'peer-express-buffered': async () => (await import('./peers/express.ts')).startWithBufferedLog,
  'peer-fastify': async () => (await import('./peers/fastify.ts')).start,
  'peer-node-http': async () => (await import('./peers/node-http.ts')).start,
  'peer-postgraphile': async () => (await import('./peers/postgraphile.ts')).start,
  'peer-sofa': async () => (await import('./peers/sofa.ts')).start,
  'facade-node-http': async () => (await import('./targets/thing-servers.ts')).startNodeHttp,
  'facade-express': async () => (await import('./targets/thing-servers.ts')).startExpress,
  'facade-fastify': async () => (await import('./targets/thing-servers.ts')).startFastify,
  'facade-fetch': async () => (await import('./targets/thing-servers.ts')).startFetch,
  'things-express': async () => (await import('./targets/thing-servers.ts')).startHandWrittenExpress,
  'things-fastify': async () => (await import('./targets/thing-servers.ts')).startHandWrittenFastify,
  'things-sofa': async () => (await import('./targets/thing-servers.ts')).startSofa,
  'peer-type-graphql': async () => {
    await import('./peers/decorators.ts');
    return (await import('./peers/type-graphql.ts')).start;
  },
};

const [name = '', url = ''] = process.argv.slice(2);
const target = targets[name];
if (!target || !process.send) throw new Error(`There is no server «${name}» to be started by the runner.`);

const send = (message: ServerMessage): void => void process.send?.(message);
process.on('message', (_asked: RunnerMessage) => {
  const { user, system } = process.cpuUsage();
  send({ kind: 'cpu', microseconds: user + system });
});
// The runner has ended, so no other process would stop this one.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready', address: await (await target())(url) });
