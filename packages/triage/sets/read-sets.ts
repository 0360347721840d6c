import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, isMedicalAlarm } from '../src/finding.ts';

/** A text of the sets and the level that it needs. */
export interface SetItem {
  lang: string;
  /** `ordinary`: no alarm. */
  level: 'ordinary' | 'crisis' | 'emergency' | 'urgent';
  /** What an ordinary text is about, such as `negation` or `question`; the level of a danger. */
  kind: string;
  /** The tuning half is trained on. The second is not: it was measured once before it was read, and signs were added after that. */
  half: 'tuning' | 'second';
  text: string;
}

export const isOrdinary = ({ level }: SetItem): boolean => level === 'ordinary';

export const isAlarm = ({ level }: Pick<Finding, 'level'>): boolean => level === 'crisis' || isMedicalAlarm(level);

/** Whether no ordinary message alarms, and a danger does; in a crisis by its own text or with the emergency number. */
export function isRight(item: SetItem, found: Pick<Finding, 'level' | 'isEmergency'>): boolean {
  if (isOrdinary(item)) return !isAlarm(found);
  return item.level === 'crisis' ? found.level === 'crisis' || found.isEmergency : isAlarm(found);
}

/** All texts of `ordinary/` and `dangers/`: one file per language, of one text per line; every second one is of the tuning half. */
export function readSets(folder: string): SetItem[] {
  return ['ordinary', 'dangers'].flatMap(name =>
    readdirSync(join(folder, name))
      .sort()
      .flatMap(file => {
        const lang = file.slice(0, 2);
        let kind = '';
        let count = 0;
        const items: SetItem[] = [];
        for (const line of readFileSync(join(folder, name, file), 'utf8')
          .trim()
          .split('\n')) {
          if (line.startsWith('# ')) {
            kind = line.slice(2);
            continue;
          }
          const half = count++ % 2 === 0 ? 'tuning' : 'second';
          const [level = '', text = ''] = name === 'ordinary' ? ['ordinary', line] : line.split('\t');
          items.push({ lang, level: level as SetItem['level'], kind: kind || level, half, text });
        }
        return items;
      }),
  );
}
