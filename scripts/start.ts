import { build, isStale } from './build.ts';

// In this process and not as a child, and by `exec` in package.json: a signal to `npm start` then reaches the gateway itself
// and not a shell that dies of it alone.
if (isStale()) build();
await import('../dist/src/main.js' as string);
