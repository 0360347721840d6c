import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';
import { Accounts } from './002-accounts.ts';
import { HostingAccounts } from './010-hosting-accounts.ts';
import { HostingCredentials } from './011-hosting-credentials.ts';

/** Every migration, oldest first. A list and not a folder scan: the compiled and the source tree run the same. */
export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
  { name: '002-accounts', class: Accounts },
  { name: '010-hosting-accounts', class: HostingAccounts },
  { name: '011-hosting-credentials', class: HostingCredentials },
];
