import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';
import { Accounts } from './002-accounts.ts';
import { Git } from './012-git.ts';

/** Every migration, oldest first. A list and not a folder scan: the compiled and the source tree run the same. */
export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
  { name: '002-accounts', class: Accounts },
  { name: '012-git', class: Git },
];
