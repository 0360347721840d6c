import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';
import { Accounts } from './002-accounts.ts';
import { Community } from './007-community.ts';
import { Chat } from './008-chat.ts';

/** Every migration, oldest first. A list and not a folder scan: the compiled and the source tree run the same. */
export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
  { name: '002-accounts', class: Accounts },
  { name: '007-community', class: Community },
  { name: '008-chat', class: Chat },
];
