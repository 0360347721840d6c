import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

// biome-ignore lint/style/noProcessEnv: the environment of child processes.
const environment = process.env;

/**
 * Prism as a validating proxy. It is no dependency of the project: 170 packages, one of which reports its installations. It is
 * installed in a temporary folder.
 */
export class Prism {
  readonly #folder = mkdtempSync(join(tmpdir(), 'portico-prism-'));
  readonly #running: ChildProcess[] = [];

  async install(): Promise<void> {
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '@stoplight/prism-cli@5.16.0',
    ];
    writeFileSync(join(this.#folder, 'package.json'), '{}');
    await promisify(execFile)('npm', args, { cwd: this.#folder });
  }

  /** Starts a proxy for a document and resolves to its URL. */
  async proxy(name: string, document: unknown, upstream: string): Promise<string> {
    const file = join(this.#folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(document));
    const child = spawn(
      process.execPath,
      [
        join(this.#folder, 'node_modules', '.bin', 'prism'),
        'proxy',
        file,
        upstream,
        '--port',
        '0',
        '--multiprocess=false',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...environment, NODE_OPTIONS: '' } },
    );
    this.#running.push(child);
    const lines = createInterface(child.stdout);
    return new Promise((resolve, reject) => {
      // Lines are read until the end, because a full pipe would stop the process.
      lines.on('line', line => {
        const url = /listening on (http:\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
      child.once('exit', code => reject(new Error(`Prism ended with ${code}.`)));
    });
  }

  async close(): Promise<void> {
    for (const child of this.#running) {
      const ended = new Promise(resolve => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What Prism found wrong with a request or its response. */
export function violationsOf(headers: Headers): string[] {
  const found = JSON.parse(headers.get('sl-violations') ?? '[]') as { location: string[]; message: string }[];
  return found.map(({ location, message }) => `${location.join('.')}: ${message}`);
}
