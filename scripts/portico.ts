import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { build, needsBuildOrExit } from './build.ts';

if (needsBuildOrExit()) build();
enableCompileCache(join(import.meta.dirname, '..', 'dist', 'compile-cache'));
await import('../dist/bundle/portico.js' as string);
