import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { sources } from './build.ts';

/** Runs the gateway and restarts it after every change; each start rebuilds if necessary. */
const root = join(import.meta.dirname, '..');
let child: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;

function restart(): void {
  const start = (): void => {
    child = spawn(process.execPath, [join(root, 'scripts', 'start.ts')], { stdio: 'inherit', cwd: root });
    child.once('exit', () => {
      child = undefined;
    });
  };
  if (!child) start();
  else {
    child.once('exit', start);
    child.kill('SIGTERM');
  }
}

for (const folder of sources) {
  // Editors write a file in several steps: one restart for all of them.
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file?.endsWith('schema.graphql') || file?.endsWith('.lock.json')) return;
    clearTimeout(timer);
    timer = setTimeout(restart, 150);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!child) process.exit(0);
    child.once('exit', code => process.exit(code ?? 0));
    child.kill(signal);
  });
}
restart();
