import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { type TestGateway, testGateway } from './gateway.ts';

const root = join(import.meta.dirname, '..', '..');

/** A row of the table in `docs/clients.md`, as a file of tests leaves it. */
export interface ClientRow {
  client: string;
  version: string;
  /** Requests that the gateway answered. */
  calls: number;
  /** Path of the tests. */
  file: string;
}

export interface ClientGateway extends TestGateway {
  /** Names the program that makes the requests from now on. */
  usedBy(client: string, version: string): void;
}

/**
 * A gateway with the demo world as it starts: with the published limits and the brand of the contract. Clients sign their tokens with
 * the system time, so it has that time. With PRINT_CLIENTS, a folder, the rows of its clients are written there after the file.
 * @param settings what a client cannot do without, such as the name of a host with TLS
 */
export async function clientGateway(settings: Record<string, string> = {}): Promise<ClientGateway> {
  const gateway = await testGateway({
    data: 'demo',
    now: new Date().toISOString(),
    logLevel: 'info',
    settings: { RATE_LIMIT_FACTOR: 'on', ...settings },
  });
  const uses: { client: string; version: string; from: number }[] = [];
  const file = relative(root, expect.getState().testPath ?? '');
  afterAll(() => {
    // biome-ignore lint/style/noProcessEnv: set by `npm run print-clients`.
    const folder = process.env.PRINT_CLIENTS;
    if (!folder || uses.length === 0) return;
    mkdirSync(folder, { recursive: true });
    const rows = uses.map(({ client, version, from }, at): ClientRow => {
      const lines = gateway.lines.slice(from, uses[at + 1]?.from).map(line => JSON.parse(line));
      return { client, version, calls: lines.filter(({ method, status }) => method && status).length, file };
    });
    writeFileSync(join(folder, `${file.replaceAll('/', '-')}.json`), JSON.stringify(rows));
  });
  return {
    ...gateway,
    usedBy: (client, version) => void uses.push({ client, version, from: gateway.lines.length }),
  };
}

/** Version of a package that the project depends on. */
export const packageVersion = (name: string): string =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
