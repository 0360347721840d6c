import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { DraftRefused, draftStatements, writeMigration } from '../../src/db/draft-migration.ts';
import { testDatabase } from '../harness/gateway.ts';

let database: Database | undefined;
const folder = mkdtempSync(join(tmpdir(), 'portico-migrations-'));
// Registered before `testDatabase` registers the drop of the database: hooks run in the order of their registration.
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true });
});
database = await openDatabase({ url: await testDatabase('empty'), poolSize: 2, statementTimeoutMs: 10_000 });
const { orm, sql: db } = database;

describe('the statements of a draft', () => {
  test('are none for a database that is migrated', async () => {
    expect(await draftStatements(orm)).toEqual([]);
  });

  test('bring the tables to what the classes declare, and leave alone what only migrations declare', async () => {
    await sql`alter table category drop column description`.execute(db);
    await sql`drop index article_by_source`.execute(db);
    await sql`alter table ad drop constraint ad_weight_check`.execute(db);
    const statements = await draftStatements(orm);
    expect(statements).toEqual([
      expect.stringContaining('add constraint "ad_weight_check" check'),
      expect.stringContaining('create index article_by_source on "article" (source, published_at, id) where'),
      expect.stringContaining('alter table "category" add "description" text not null default'),
    ]);
    for (const statement of statements) await sql.raw(statement).execute(db);
    expect(await draftStatements(orm)).toEqual([]);
  });
});

describe('the file of a draft', () => {
  const list = `import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';

export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
];
`;

  test('has the next number, and is in the list', () => {
    writeFileSync(join(folder, 'list.ts'), list);
    writeFileSync(join(folder, '001-articles.ts'), '');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it must not become a placeholder of the file.
    const path = writeMigration(folder, 'article-languages', ['alter table article add language text default `${x}`']);
    expect(path).toBe(join(folder, '002-article-languages.ts'));
    expect(readFileSync(path, 'utf8')).toContain(`export class ArticleLanguages extends Migration {
  override up(): void {
    this.addSql(\`alter table article add language text default \\\`\\\${x}\\\`\`);
  }
`);
    expect(readFileSync(join(folder, 'list.ts'), 'utf8')).toBe(`import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';
import { ArticleLanguages } from './002-article-languages.ts';

export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
  { name: '002-article-languages', class: ArticleLanguages },
];
`);
  });

  test.each(['Article', 'a b', '../x', '-a', 'a-', ''])('has no name such as «%s»', name => {
    expect(() => writeMigration(folder, name, [])).toThrow(DraftRefused);
  });

  test('does not take the name of another one, nor a folder without sources', () => {
    expect(() => writeMigration(folder, 'articles', [])).toThrow('There is a migration articles.');
    expect(() => writeMigration(join(folder, 'nowhere'), 'x', [])).toThrow('migrations are drafted in a checkout');
  });
});
