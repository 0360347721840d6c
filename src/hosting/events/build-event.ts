import type { EventActor, EventRepository } from '../../../schema/hosting/event.ts';
import type { Context } from '../../context/context.ts';
import type { EventRow } from './feeds.ts';
import type { EventFacts, EventTypeName } from './record-events.ts';

type BaseUrls = Pick<Context, 'origin'>;

/** Source object of a payload; objects to load are given by id. */
export type EventPayloadObject = { __typename: string; forkeeId?: number; memberId?: number } & Record<string, unknown>;

export interface EventObject {
  fullDatabaseId: string;
  type: string;
  actor: EventActor;
  repository: EventRepository;
  payload: EventPayloadObject;
  isPublic: boolean;
  createdAt: string;
  organization: EventActor | null;
}

/** Converts an event to its GraphQL source object, with current logins, names and paths. */
export function buildEvent(urls: BaseUrls, row: EventRow): EventObject {
  const { ownerKind, ownerId, ownerLogin } = row;
  const name = `${ownerLogin}/${row.repositoryName}`;
  const repository = { databaseId: row.repositoryId, name };
  return {
    fullDatabaseId: row.id,
    type: row.type,
    actor: eventAccount(urls, row.actorId, row.actorLogin),
    repository,
    payload: payloadBuilders[row.type as EventTypeName](row.payload, { row, repository }),
    isPublic: !row.isPrivate,
    createdAt: row.createdAt,
    organization: ownerKind === 'organization' ? eventAccount(urls, ownerId, ownerLogin) : null,
  };
}

function eventAccount({ origin }: BaseUrls, databaseId: number, login: string): EventActor {
  // The brackets of `[bot]` are not valid in a path.
  const resourcePath = `/${encodeURIComponent(login)}`;
  return { databaseId, login, resourcePath, avatarUrl: `${origin}/avatars/${databaseId}.svg` };
}

interface PayloadContext {
  row: EventRow;
  repository: EventRepository;
}

const payloadBuilders: {
  [Type in EventTypeName]: (facts: EventFacts[Type], context: PayloadContext) => EventPayloadObject;
} = {
  PushEvent: ({ commits, size, distinctSize, ...facts }, { row, repository }) => ({
    __typename: 'PushPayload',
    repositoryId: row.repositoryId,
    pushId: Number(row.id),
    ...facts,
    commitCount: size,
    distinctCommitCount: distinctSize,
    commits: commits.map(({ sha, name, email, message, distinct }) => ({
      oid: sha,
      author: { email, name },
      message,
      isDistinct: distinct,
      resourcePath: `/${repository.name}/commit/${sha}`,
    })),
  }),
  CreateEvent: ({ masterBranch, refType, ...facts }) => ({
    __typename: 'CreatePayload',
    ...facts,
    created: refType,
    defaultBranch: masterBranch,
  }),
  DeleteEvent: ({ refType, ...facts }) => ({ __typename: 'DeletePayload', ...facts, deleted: refType }),
  WatchEvent: () => ({ __typename: 'WatchPayload', action: 'started' }),
  ForkEvent: ({ forkeeId }) => ({ __typename: 'ForkPayload', action: 'forked', forkeeId }),
  PublicEvent: () => ({ __typename: 'PublicPayload', nothing: null }),
  MemberEvent: ({ memberId }) => ({ __typename: 'MemberPayload', action: 'added', memberId }),
};
