import { missingPrograms, Topology } from '../test/topology/topology.ts';
import { build, isStale } from './build.ts';

/** Starts the servers of `ops/compose.yaml` on 127.0.0.1 with the demo data, prints their addresses, and ends them on Ctrl-C. */
async function main(): Promise<void> {
  if (missingPrograms.length > 0) {
    console.error(`A topology needs ${missingPrograms.join(', ')}. Install Debian's packages of that name.`);
    process.exitCode = 1;
    return;
  }
  if (isStale()) build();
  const stopped = new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const topology = await Topology.start({
    secretKey: 'a secret of a topology on one machine',
    settings: { SEED: 'demo' },
    onProgress: text => console.log(`  Starting ${text}…`),
  });
  const lines = [
    ['HAProxy', topology.url],
    ...topology.gateways.map(({ program, url }) => [program.name, url]),
    ['PgBouncer', topology.pooledUrl],
    ...topology.postgres.map(node => [node.name, node.url('portico')]),
    ['Redis', topology.redisUrl],
    ['Prometheus', topology.prometheusUrl],
    ['processes', topology.programs.map(({ name, pid }) => `${name} ${pid}`).join(', ')],
    ['files, logs', topology.folder],
  ];
  console.log(lines.map(([name = '', text = '']) => `  ${name.padEnd(12)} ${text}`).join('\n'));
  await stopped;
  await topology.close();
}

await main();
