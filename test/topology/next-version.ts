import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const copied = [
  'package.json',
  'tsconfig.json',
  'scripts',
  'src',
  'schema',
  'rest-facade',
  'packages',
  'seeds',
  'examples',
];

const migration = `import { Migration } from '@mikro-orm/migrations';

export class UpgradeNotes extends Migration {
  override up(): void {
    this.addSql('alter table symptom_log add column upgrade_note text null');
    this.addSql("alter table symptom_log add constraint symptom_log_upgrade_note_check check (length(upgrade_note) < 100) not valid");
    this.addSql('create table upgrade_note (id bigint generated always as identity primary key, note text not null)');
  }
}
`;

/**
 * Makes and builds a checkout of this version with one more migration, which expands the schema: a column, a constraint and a table.
 */
export function makeNextVersion(folder: string): void {
  mkdirSync(folder);
  for (const name of copied)
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: path => !path.endsWith('/node_modules') });
  linkPackages(folder);
  const migrations = join(folder, 'src', 'db', 'migrations');
  writeFileSync(join(migrations, '999-upgrade-notes.ts'), migration);
  const list = readFileSync(join(migrations, 'list.ts'), 'utf8');
  writeFileSync(
    join(migrations, 'list.ts'),
    `import { UpgradeNotes } from './999-upgrade-notes.ts';\n${list.replace(/\];\s*$/, "  { name: '999-upgrade-notes', class: UpgradeNotes },\n];\n")}`,
  );
  execFileSync(process.execPath, [join(folder, 'scripts', 'build.ts')], { cwd: folder, stdio: 'pipe' });
}

/** The packages of this checkout, except those that are part of the repository. */
function linkPackages(folder: string): void {
  const own = readdirSync(join(folder, 'packages'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!own.includes(name)) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const name of own) symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', name));
}
