import { build, isStale } from './build.ts';

// In this process and not as a child, and by `exec` in package.json: a signal to `npm start` then reaches the gateway itself
// and not a shell that dies of it alone.
if (isStale()) build();
// graphql looks twice at every type otherwise, a tenth of the time to start. Nothing else may depend on it.
// biome-ignore lint/style/noProcessEnv: it is written for libraries and read by nobody here.
process.env.NODE_ENV ??= 'production';
await import('../dist/src/main.js' as string);
