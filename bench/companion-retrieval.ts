import type { BenchPart } from './benchmark.ts';
import { loadBuild } from './load-build.ts';
import { type Item, missedBar, qualityReport, type Scored, withDemo } from './quality-world.ts';
import { setsOf } from './sets-of.ts';

interface Message extends Item {
  message: string;
}

const bar = 0.9;

/** Whether the companion without a model cites an acceptable article first, and none where none fits. */
export const companionRetrieval: BenchPart = {
  name: 'companion-retrieval',
  about: 'questions to the companion without a model: the right article first, none where none fits; no timing',
  measure: (url, _pinning, options) =>
    withDemo(url, async (databaseUrl, files) => {
      const { openDatabase, findPassages } = await loadBuild();
      const database = await openDatabase({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 60_000 });
      const context = { read: database.read, now: () => new Date(), origin: 'http://localhost' };
      try {
        const lines: string[] = [];
        const missed: string[] = [];
        for (const { half, items } of setsOf<Message>('companion', options?.half)) {
          const scored: Scored[] = [];
          for (const item of items) {
            const [first] = await findPassages(context, item.message);
            const isRight =
              first === undefined
                ? item.acceptable.length === 0
                : item.acceptable.includes(files.get(first.headline) ?? '');
            scored.push({ item, isRight });
          }
          lines.push(...qualityReport(`companion, ${half}`, scored, half));
          for (const kind of new Set(items.map(one => one.kind))) {
            missed.push(
              ...missedBar(
                `companion, ${half}, ${kind}`,
                scored.filter(({ item }) => item.kind === kind),
                bar,
              ),
            );
          }
        }
        return { text: lines.join('\n'), missed, figures: lines };
      } finally {
        await database.close();
      }
    }),
};
