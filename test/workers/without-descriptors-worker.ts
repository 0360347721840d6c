import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startLimitedGit } from '../../src/git/limited-git.ts';
import { runGit } from '../../src/git/system-git.ts';
import { startProcess } from '../../src/workers/start-process.ts';
import { WorkProcess } from '../../src/workers/work-process.ts';

/** Uses up the descriptors of this process, starts child processes in all ways, and prints the code or the name of what each gives. */
const start = { program: '', poolUrl: '' } as never;
const program = new URL('../../src/hosting/work-program.ts', import.meta.url);
const limits = { maxFileBytes: 1e6, maxMemoryBytes: 1e9 };
const folder = tmpdir();
const ways: Record<string, () => Promise<unknown>> = {
  startProcess: async () => startProcess('/bin/true', [], { stdio: 'pipe' }),
  startLimitedGit: async () =>
    startLimitedGit(['--version'], { folder, limits, signal: new AbortController().signal }).ended,
  runGit: () => runGit(folder, ['--version']),
  WorkProcess: async () =>
    new WorkProcess({ program, start, maxHeapMb: 64, maxDataMb: 300, maxCpuSeconds: 10, maxStartMs: 1_000 }).run(
      {} as never,
      1_000,
    ),
};

try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // EMFILE
}
const results: Record<string, unknown> = {};
for (const [name, way] of Object.entries(ways)) {
  results[name] = await way().then(
    () => 'done',
    (error: { code?: unknown; cause?: { code?: unknown } }) => error.code ?? error.cause?.code ?? String(error),
  );
}
process.stdout.write(JSON.stringify(results));
