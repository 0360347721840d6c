import type { EventActor, EventRepository } from '../../../schema/hosting/event.ts';
import type { Context } from '../../context/context.ts';
import type { EventRow } from './feeds.ts';
import type { EventFacts, EventTypeName } from './record-events.ts';

type BaseUrls = Pick<Context, 'apiBaseUrl' | 'origin'>;

/** Source object of a payload; objects to load are given by id. */
export type EventPayloadObject = { __typename: string; forkeeId?: number; memberId?: number } & Record<string, unknown>;

export interface EventObject {
  databaseId: string;
  type: string;
  typeName: string;
  actor: EventActor;
  repository: EventRepository;
  payload: EventPayloadObject;
  isPublic: boolean;
  createdAt: string;
  organization: EventActor | null;
}

/** Converts an event to its GraphQL source object, with current logins, names and URLs. */
export function buildEvent(urls: BaseUrls, row: EventRow): EventObject {
  const { ownerKind, ownerId, ownerLogin } = row;
  const name = `${ownerLogin}/${row.repositoryName}`;
  const repository = { databaseId: row.repositoryId, name, url: `${urls.apiBaseUrl}/repos/${name}` };
  return {
    databaseId: row.id,
    type: row.type,
    typeName: row.type,
    actor: eventAccount(urls, 'users', row.actorId, row.actorLogin),
    repository,
    payload: payloadBuilders[row.type as EventTypeName](row.payload, { row, repository }),
    isPublic: !row.isPrivate,
    createdAt: row.createdAt,
    organization: ownerKind === 'organization' ? eventAccount(urls, 'orgs', ownerId, ownerLogin) : null,
  };
}

function eventAccount(
  { apiBaseUrl, origin }: BaseUrls,
  kind: 'users' | 'orgs',
  databaseId: number,
  login: string,
): EventActor {
  const url = `${apiBaseUrl}/${kind}/${encodeURIComponent(login)}`;
  return { databaseId, login, url, avatarUrl: `${origin}/avatars/${databaseId}.svg` };
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
      url: `${repository.url}/commits/${sha}`,
    })),
  }),
  CreateEvent: ({ masterBranch, ...facts }) => ({
    __typename: 'CreatePayload',
    ...facts,
    created: facts.refType,
    defaultBranch: masterBranch,
  }),
  DeleteEvent: facts => ({ __typename: 'DeletePayload', ...facts, deleted: facts.refType }),
  WatchEvent: () => ({ __typename: 'WatchPayload', action: 'started' }),
  ForkEvent: ({ forkeeId }) => ({ __typename: 'ForkPayload', action: 'forked', forkeeId }),
  PublicEvent: () => ({ __typename: 'PublicPayload', nothing: null }),
  MemberEvent: ({ memberId }) => ({ __typename: 'MemberPayload', action: 'added', memberId }),
};
