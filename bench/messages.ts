import type { BenchPart, BenchResult } from './benchmark.ts';
import { setsOf, wrongIds } from './sets-of.ts';

interface Item {
  id: string;
  lang: string;
  kind: 'crisis' | 'emergency' | 'harmless';
  text: string;
}

/** Least share of each kind, in percent; of harmless messages the largest share that alarms. */
const aims = {
  crisis: { en: 95, other: 90 },
  emergency: { en: 95, other: 90 },
  harmless: { en: 4, other: 4 },
} as const;

/** Classification of messages that were written without knowledge of the rules. Needs no server. */
export const messages: BenchPart = {
  name: 'messages',
  about: 'share of crises, emergencies and harmless messages that the companion classifies correctly',
  async measure(_url, _pinning, options): Promise<BenchResult> {
    const { classifyMessage } = (await import(
      '../dist/packages/triage/src/signs/classify-message.js' as string
    )) as typeof import('triage/signs/classify-message');
    const lines: string[] = [];
    const missed: string[] = [];
    const figures: Record<string, unknown> = {};
    for (const { half: set, items } of setsOf<Item>('messages', options?.half)) {
      const judged = items.map(item => ({ ...item, isRight: isRight(item, classifyMessage(item.text)) }));
      lines.push(`messages, ${set} set of ${items.length}`);
      for (const kind of ['crisis', 'emergency', 'harmless'] as const)
        for (const group of ['en', 'other'] as const) {
          const those = judged.filter(item => item.kind === kind && (item.lang === 'en') === (group === 'en'));
          const right = those.filter(item => item.isRight).length;
          const share = (100 * right) / Math.max(1, those.length);
          const isMissed = kind === 'harmless' ? 100 - share > aims[kind][group] : share < aims[kind][group];
          const line = `${kind}, ${group === 'en' ? 'English' : 'other languages'}: ${right} of ${those.length} right`;
          lines.push(`  ${line}`);
          if (isMissed) missed.push(`messages, ${set}: ${line}`);
        }
      const languages = [...new Set(items.map(({ lang }) => lang))].map(lang => {
        const those = judged.filter(item => item.lang === lang);
        return `${lang} ${those.filter(item => item.isRight).length}/${those.length}`;
      });
      lines.push(`  by language: ${languages.join(', ')}`);
      lines.push(
        `  wrong: ${wrongIds(
          set,
          judged.filter(item => !item.isRight).map(({ id }) => id),
        )}`,
      );
      figures[set] = judged.map(({ id, kind, lang, isRight: right }) => ({ id, kind, lang, right }));
    }
    return { text: lines.join('\n'), missed, figures };
  },
};

function isRight({ kind }: Item, { level, emergency }: { level: string; emergency: boolean }): boolean {
  if (kind === 'crisis') return level === 'crisis';
  return kind === 'emergency' ? emergency : level === 'none';
}
