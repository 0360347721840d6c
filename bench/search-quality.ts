import type { BenchPart } from './benchmark.ts';
import { type Item, missedBar, qualityReport, type Scored, withDemo } from './quality-world.ts';
import { startServer } from './server.ts';
import { setsOf } from './sets-of.ts';

interface Search extends Item {
  query: string;
}

/** First results that are looked at: what a screen shows. */
const looked = 3;
const bar = 0.9;

/** Whether everyday searches find an acceptable article among the first three. */
export const searchQuality: BenchPart = {
  name: 'search-quality',
  about: 'everyday searches of the demo articles: an acceptable one among the first three, by kind; no timing',
  measure: (url, pinning, options) =>
    withDemo(url, async (databaseUrl, files) => {
      const server = await startServer('gateway', databaseUrl, pinning);
      try {
        const lines: string[] = [];
        const missed: string[] = [];
        for (const { half, items } of setsOf<Search>('search', options?.half)) {
          const title = `search, ${half}`;
          const scored: Scored[] = [];
          for (const item of items) {
            const response = await fetch(`${server.address}/api/v1/articles/?search=${encodeURIComponent(item.query)}`);
            const { results } = (await response.json()) as { results: { headline: string }[] };
            const first = results.slice(0, looked).map(({ headline }) => files.get(headline) ?? headline);
            scored.push({ item, isRight: first.some(one => item.acceptable.includes(one)) });
          }
          lines.push(...qualityReport(title, scored, half));
          missed.push(...missedBar(title, scored, bar));
        }
        return { text: lines.join('\n'), missed, figures: lines };
      } finally {
        await server.stop();
      }
    }),
};
