import { build, isStale } from './build.ts';

if (isStale()) build();
await import('../dist/src/command-line/portico.js' as string);
