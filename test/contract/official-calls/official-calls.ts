import { absentCalls } from './absent.ts';
import { accountCalls } from './accounts.ts';
import { appCalls } from './apps.ts';
import { attentionCalls } from './attention.ts';
import { branchProtectionCalls } from './branch-protection.ts';
import { contentCalls } from './contents.ts';
import { eventCalls } from './events.ts';
import { gitCalls } from './git.ts';
import { hookCalls } from './hooks.ts';
import { insightCalls } from './insights.ts';
import { keyCalls } from './keys.ts';
import { metaCalls } from './meta.ts';
import type { OfficialCalls } from './official-world.ts';
import { peopleCalls } from './people.ts';
import { repositoryCalls } from './repos.ts';
import { ruleCalls } from './rules.ts';
import { sourceImportCalls } from './source-imports.ts';

/** Requests of every served operation, by its name. */
export const officialCalls: OfficialCalls = {
  ...absentCalls,
  ...accountCalls,
  ...appCalls,
  ...attentionCalls,
  ...contentCalls,
  ...eventCalls,
  ...gitCalls,
  ...hookCalls,
  ...insightCalls,
  ...keyCalls,
  ...metaCalls,
  ...peopleCalls,
  ...repositoryCalls,
  ...branchProtectionCalls,
  ...ruleCalls,
  ...sourceImportCalls,
};
