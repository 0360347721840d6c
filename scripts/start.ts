import { build, isStale } from './build.ts';

// In this process and not as a child: a signal to `npm start` then reaches the gateway itself.
if (isStale()) build();
await import('../dist/src/main.js' as string);
