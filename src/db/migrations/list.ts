import type { MigrationObject } from '@mikro-orm/core';
import { Articles } from './001-articles.ts';
import { Accounts } from './002-accounts.ts';
import { ArticleActivity } from './003-article-activity.ts';
import { Ads } from './004-ads.ts';
import { Assessments } from './005-assessments.ts';
import { Measurements } from './006-measurements.ts';
import { Community } from './007-community.ts';
import { Chat } from './008-chat.ts';
import { Companion } from './009-companion.ts';
import { HostingAccounts } from './010-hosting-accounts.ts';
import { HostingCredentials } from './011-hosting-credentials.ts';
import { Git } from './012-git.ts';
import { Commits } from './013-commits.ts';
import { Contents } from './014-contents.ts';
import { RepositorySize } from './016-repository-size.ts';
import { Plans } from './017-plans.ts';
import { ApiInsights } from './018-api-insights.ts';
import { Rules } from './019-rules.ts';
import { Events } from './020-events.ts';
import { Webhooks } from './021-webhooks.ts';
import { SourceImports } from './022-source-imports.ts';

/** Every migration, oldest first. A list and not a folder scan: the compiled and the source tree run the same. */
export const migrations: MigrationObject[] = [
  { name: '001-articles', class: Articles },
  { name: '002-accounts', class: Accounts },
  { name: '003-article-activity', class: ArticleActivity },
  { name: '004-ads', class: Ads },
  { name: '005-assessments', class: Assessments },
  { name: '006-measurements', class: Measurements },
  { name: '007-community', class: Community },
  { name: '008-chat', class: Chat },
  { name: '009-companion', class: Companion },
  { name: '010-hosting-accounts', class: HostingAccounts },
  { name: '011-hosting-credentials', class: HostingCredentials },
  { name: '012-git', class: Git },
  { name: '013-commits', class: Commits },
  { name: '014-contents', class: Contents },
  { name: '016-repository-size', class: RepositorySize },
  { name: '017-plans', class: Plans },
  { name: '018-api-insights', class: ApiInsights },
  { name: '019-rules', class: Rules },
  { name: '020-events', class: Events },
  { name: '021-webhooks', class: Webhooks },
  { name: '022-source-imports', class: SourceImports },
];
