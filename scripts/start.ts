import { build, isStale } from './build.ts';

// In this process instead of a child, and by `exec` in package.json: a signal to `npm start` reaches the gateway and not a
// shell that would exit alone.
if (isStale()) build();
// Without it graphql validates every type twice, a tenth of the start time. Nothing else may depend on it.
// biome-ignore lint/style/noProcessEnv: it is written for libraries and read by nobody here.
process.env.NODE_ENV ??= 'production';
await import('../dist/src/main.js' as string);
