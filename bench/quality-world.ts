import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { benchSecret, loadBuild } from './load-build.ts';
import { wrongIds } from './sets-of.ts';

/** One question of a set: `acceptable` are file names of demo articles, none for what no article answers. */
export interface Item {
  id: string;
  kind: string;
  acceptable: string[];
}

/** A database with the demo data alone, in the PostgreSQL of the run, and the file names of its articles by headline. */
export async function withDemo<Result>(
  url: string,
  work: (databaseUrl: string, files: ReadonlyMap<string, string>) => Promise<Result>,
): Promise<Result> {
  const { readConfig, deriveKeys, openDatabase, migrate, seedOnce, demoData } = await loadBuild();
  const name = 'quality';
  const admin = new pg.Client(url);
  await admin.connect();
  try {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`create database ${name}`);
    const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).toString();
    const database = await openDatabase({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 60_000 });
    await migrate(database);
    await seedOnce(database, demoData(deriveKeys(readConfig({ SECRET_KEY: benchSecret })), new Date()));
    await database.close();
    return await work(databaseUrl, articleFiles());
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

function articleFiles(): Map<string, string> {
  const folder = join(import.meta.dirname, '../seeds/health/articles');
  return new Map(
    readdirSync(folder).map(file => {
      const written = /^headline: (.*)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '';
      return [written.replace(/^"(.*)"$/, '$1'), file.replace(/\.md$/, '')];
    }),
  );
}

export interface Scored {
  item: Item;
  isRight: boolean;
}

const percent = (part: number, whole: number): string => `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`;

/** The share that is right, of all and of each kind, with the ids of what is not in the tuning half. */
export function qualityReport(title: string, scored: readonly Scored[], half: string): string[] {
  const kinds = [...new Set(scored.map(({ item }) => item.kind))];
  const lines = kinds.map(kind => {
    const own = scored.filter(({ item }) => item.kind === kind);
    const missed = own.filter(({ isRight }) => !isRight).map(({ item }) => item.id);
    const found = percent(own.length - missed.length, own.length);
    return `  ${kind.padEnd(14)} ${found.padEnd(20)} ${missed.length > 0 ? wrongIds(half, missed) : ''}`;
  });
  const right = scored.filter(({ isRight }) => isRight).length;
  return [`${title}: ${percent(right, scored.length)}`, ...lines];
}

/** The lines of the bars that were missed. */
export const missedBar = (title: string, scored: readonly Scored[], bar: number): string[] => {
  const right = scored.filter(({ isRight }) => isRight).length;
  return right >= bar * scored.length ? [] : [`${title}: ${percent(right, scored.length)} below ${100 * bar} %`];
};
