import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { build, needsBuildOrExit } from './build.ts';

// In this process instead of a child, and by `exec` in package.json: a signal to `npm start` reaches the gateway and not a
// shell that would exit without it.
if (needsBuildOrExit()) {
  process.stdout.write('  Building…\n');
  const startedAt = performance.now();
  build();
  process.stdout.write(`  Building: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
process.stdout.write('  Starting…\n');
// Production mode: graphql-js otherwise validates every type twice, a tenth of the start time. No other code may depend on it.
// biome-ignore lint/style/noProcessEnv: set for libraries; the project does not read it.
process.env.NODE_ENV ??= 'production';
// Part of the build: a new build starts with an empty cache, and whoever can write to it can write to the code as well, which does
// not hold for the default in the folder for temporary files. A folder that cannot be written to is only read.
enableCompileCache(join(import.meta.dirname, '..', 'dist', 'compile-cache'));
await import('../dist/bundle/main.js' as string);
