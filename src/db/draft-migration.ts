import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSchema, type MikroORM } from '@mikro-orm/postgresql';
import { namesOfKind } from './migration-only-objects.ts';

/** What a draft cannot be made of: the message says how to go on. */
export class DraftRefused extends Error {}

/**
 * The statements that bring the migrated database of `orm` to what the classes declare; empty when they agree. Only a draft:
 * the ORM sees no renames and misses some changes, which `test/db/classes-match-migrations.test.ts` then finds.
 */
export async function draftStatements(orm: MikroORM): Promise<string[]> {
  const { skipTables, skipViews } = orm.config.get('schemaGenerator');
  const platform = orm.em.getPlatform();
  const connection = orm.em.getConnection();
  const fromSchema = await DatabaseSchema.create(
    connection,
    platform,
    orm.config,
    undefined,
    ['public'],
    undefined,
    skipTables,
    skipViews,
  );
  for (const column of namesOfKind('column')) {
    const [table = '', name = ''] = column.split('.');
    fromSchema.getTable(table)?.removeColumn(name);
  }
  const indexes = namesOfKind('index');
  for (const table of fromSchema.getTables()) {
    table.setIndexes(table.getIndexes().filter(({ keyName }) => !indexes.includes(keyName)));
  }
  const { up } = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false, fromSchema });
  return up
    .split(/;\n+/)
    .map(statement => statement.trim().replace(/;$/, ''))
    .filter(statement => statement !== '');
}

/**
 * Writes `NNN-name.ts` and names it in `list.ts` of the folder of migrations. Gives the path.
 * @throws DraftRefused when the name is not kebab-case or taken, or there is no folder of sources.
 */
export function writeMigration(folder: string, name: string, statements: readonly string[]): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new DraftRefused('The name of a migration is lower-case words with hyphens, such as article-languages.');
  }
  const files = filesOf(folder);
  if (files.some(file => file.slice(4) === `${name}.ts`)) throw new DraftRefused(`There is a migration ${name}.`);
  const number = String(files.reduce((last, file) => Math.max(last, Number(file.slice(0, 3))), 0) + 1).padStart(3, '0');
  const path = join(folder, `${number}-${name}.ts`);
  writeFileSync(path, migrationSource(name, statements), { flag: 'wx' });
  const list = join(folder, 'list.ts');
  writeFileSync(list, withEntry(readFileSync(list, 'utf8'), `${number}-${name}`, classNameOf(name)));
  return path;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).filter(file => /^\d{3}-.*\.ts$/.test(file));
  } catch (cause) {
    throw new DraftRefused(`There are no sources in ${folder}: migrations are drafted in a checkout.`, { cause });
  }
}

const classNameOf = (name: string): string =>
  name.replace(/(^|-)([a-z0-9])/g, (_, _hyphen, letter: string) => letter.toUpperCase());

function migrationSource(name: string, statements: readonly string[]): string {
  const quoted = (statement: string): string => `\`${statement.replace(/[\\`]|\$\{/g, '\\$&')}\``;
  const lines = statements.map(statement => `    this.addSql(${quoted(statement)});`);
  return `import { Migration } from '@mikro-orm/migrations';

export class ${classNameOf(name)} extends Migration {
  override up(): void {
${lines.join('\n')}
  }

  override down(): void {
    throw new Error('Write the way back.');
  }
}
`;
}

/** `list.ts` with one more import and one more entry, both last. */
function withEntry(list: string, file: string, className: string): string {
  const lastImport = list.lastIndexOf("from './");
  const afterImports = list.indexOf('\n', lastImport) + 1;
  const end = list.lastIndexOf('];');
  return `${list.slice(0, afterImports)}import { ${className} } from './${file}.ts';
${list.slice(afterImports, end)}  { name: '${file}', class: ${className} },
${list.slice(end)}`;
}
