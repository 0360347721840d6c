import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { build, isStale } from './build.ts';

if (isStale()) build();
enableCompileCache(join(import.meta.dirname, '..', 'dist', 'compile-cache'));
await import('../dist/bundle/portico.js' as string);
