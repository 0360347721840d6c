import fc from 'fast-check';

/**
 * Generated values are the same in every run, so that a failure belongs to the change that caused it. `FUZZ_SEED` is another
 * number, or `random` for a search; a failure prints its seed.
 */
// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const seed = process.env.FUZZ_SEED ?? '20261101';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
