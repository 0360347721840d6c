import { build, isStale } from './build.ts';

// In this process instead of a child, and by `exec` in package.json: a signal to `npm start` reaches the gateway and not a
// shell that would exit without it.
if (isStale()) build();
// Production mode: graphql-js otherwise validates every type twice, a tenth of the start time. No other code may depend on it.
// biome-ignore lint/style/noProcessEnv: set for libraries; the project does not read it.
process.env.NODE_ENV ??= 'production';
await import('../dist/src/main.js' as string);
