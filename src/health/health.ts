import type { Task } from '../jobs/run-task.ts';
import { AccountRoots } from './accounts/accounts.graph.ts';
import { accountTasks } from './accounts/accounts.tasks.ts';
import { ArticleFields, ArticleRoots } from './articles/articles.graph.ts';
import { ChatRoots } from './chat/chat.graph.ts';
import { MessageRoots } from './chat/messages.graph.ts';
import { CommunityGroupFields, CommunityRoots } from './community/community.graph.ts';
import { communityTasks } from './community/community.tasks.ts';
import { PeerRoots } from './community/peers.graph.ts';

/** The door of the health product: what the server takes from it. */
export const healthResolvers = [
  ArticleRoots,
  ArticleFields,
  AccountRoots,
  CommunityRoots,
  CommunityGroupFields,
  PeerRoots,
  ChatRoots,
  MessageRoots,
] as const;

/** What it has done outside of requests. */
export function healthTasks(around: Parameters<typeof accountTasks>[0]): Task<never>[] {
  return [...accountTasks(around), ...communityTasks(around)];
}
