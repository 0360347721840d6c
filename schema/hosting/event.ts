import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { BigInteger, DateTime, Uri } from '../vocabulary/scalars.ts';
import { User } from './account.ts';
import { Repository } from './repository.ts';

export const EventType = {
  PUSH: 'PushEvent',
  CREATE: 'CreateEvent',
  DELETE: 'DeleteEvent',
  WATCH: 'WatchEvent',
  FORK: 'ForkEvent',
  PUBLIC: 'PublicEvent',
  MEMBER: 'MemberEvent',
} as const;
export type EventType = (typeof EventType)[keyof typeof EventType];
registerEnumType(EventType, {
  name: 'EventType',
  description: 'Type of an event.',
  valuesConfig: {
    PUSH: { description: 'Push to a branch.' },
    CREATE: { description: 'Creation of a branch, a tag or the repository.' },
    DELETE: { description: 'Deletion of a branch or a tag.' },
    WATCH: { description: 'Star of the repository; not a subscription to it.' },
    FORK: { description: 'Fork of the repository.' },
    PUBLIC: { description: 'Publication of a private repository.' },
    MEMBER: { description: 'Addition of a collaborator.' },
  },
});

export const EventRefType = { BRANCH: 'branch', TAG: 'tag', REPOSITORY: 'repository' } as const;
export type EventRefType = (typeof EventRefType)[keyof typeof EventRefType];
registerEnumType(EventRefType, { name: 'EventRefType', description: 'Type of an object that was created or deleted.' });

@ObjectType({ description: 'Actor of an event: a user or an app.', simpleResolvers: true })
export class EventActor {
  @Computed(() => GraphQLSafeInt, 'Number of the account or of the app.')
  databaseId!: number;

  @Computed(() => String, 'Login; for an app its slug followed by `[bot]`.')
  login!: string;

  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;

  @Computed(() => Uri, 'URL of the avatar.')
  avatarUrl!: string;
}

@ObjectType({ description: 'Repository of an event.', simpleResolvers: true })
export class EventRepository {
  @Computed(() => GraphQLSafeInt, 'Number of the repository.')
  databaseId!: number;

  @Computed(() => String, 'Current full name: login of the owner, slash, name.')
  name!: string;
}

@ObjectType({ description: 'Commit of a push.', simpleResolvers: true })
export class PushedCommitPerson {
  @Computed(() => String, 'E-mail address in the commit.')
  email!: string;

  @Computed(() => String, 'Name in the commit.')
  name!: string;
}

@ObjectType({ description: 'Commit of a push.', simpleResolvers: true })
export class EventCommit {
  @Computed(() => String, 'Id of the commit: 40 hexadecimal digits.')
  oid!: string;

  @Computed(() => PushedCommitPerson, 'Author of the commit.')
  author!: PushedCommitPerson;

  @Computed(() => String, 'Message, truncated to 8,192 characters.')
  message!: string;

  @Computed(() => Boolean, 'Whether no other branch contained the commit before.')
  isDistinct!: boolean;

  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;
}

@ObjectType({
  description: 'Payload of a push to a branch, also of a new branch with new commits.',
  simpleResolvers: true,
})
export class PushPayload {
  @Computed(() => GraphQLSafeInt, 'Number of the repository.')
  repositoryId!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the push.')
  pushId!: number;

  @Computed(() => Int, 'Number of commits that are new to the branch.')
  commitCount!: number;

  @Computed(() => Int, 'Number of those commits that are new to all branches.')
  distinctCommitCount!: number;

  @Computed(() => String, 'Full name of the branch.', { null: true })
  ref!: string;

  @Computed(() => String, "Id of the branch's commit after the push.")
  head!: string;

  @Computed(() => String, "Id of the branch's commit before the push; 40 zeros for a new branch.")
  before!: string;

  @Computed(() => [EventCommit], 'Newest 20 commits, oldest first.')
  commits!: EventCommit[];
}

@ObjectType({ description: 'Payload of the creation of a branch, a tag or the repository.', simpleResolvers: true })
export class CreatePayload {
  @Computed(() => String, 'Short name; null for the repository.', { null: true })
  ref!: string | null;

  @Computed(() => EventRefType, 'Type of the created object.')
  created!: EventRefType;

  @Computed(() => String, 'Full name; null for the repository.', { null: true })
  fullRef!: string | null;

  @Computed(() => String, 'Default branch at the time of the event.')
  defaultBranch!: string;

  @Computed(() => String, 'Description of the repository at the time of the event; null for none.', { null: true })
  description!: string | null;
}

@ObjectType({ description: 'Payload of the deletion of a branch or a tag.', simpleResolvers: true })
export class DeletePayload {
  @Computed(() => String, 'Short name of the ref.', { null: true })
  ref!: string;

  @Computed(() => EventRefType, 'Type of the deleted object.')
  deleted!: EventRefType;

  @Computed(() => String, 'Full name of the ref.', { null: true })
  fullRef!: string;
}

@ObjectType({ description: 'Payload of a star.', simpleResolvers: true })
export class WatchPayload {
  @Computed(() => String, 'Name of the action: started.')
  action!: string;
}

@ObjectType({ description: 'Payload of a fork.', simpleResolvers: true })
export class ForkPayload {
  @Computed(() => String, 'Name of the action: forked.')
  action!: string;

  @Computed(() => Repository, 'Fork; null where the caller may not see it.', { null: true })
  forkee!: Repository | null;
}

@ObjectType({ description: 'Payload of making a repository public.', simpleResolvers: true })
export class PublicPayload {
  @Computed(() => Boolean, 'Always null: the payload has no fields.', { null: true })
  nothing!: null;
}

@ObjectType({ description: 'Payload of adding a collaborator.', simpleResolvers: true })
export class MemberPayload {
  @Computed(() => User, 'Added user; null where the account is gone.', { null: true })
  member!: User | null;

  @Computed(() => String, 'Name of the action: added.')
  action!: string;
}

export const EventPayload = createUnionType({
  name: 'EventPayload',
  description: 'Payload of an event by its type.',
  types: () =>
    [PushPayload, CreatePayload, DeletePayload, WatchPayload, ForkPayload, PublicPayload, MemberPayload] as const,
});

@ObjectType('Event', { description: 'Event of a repository.', simpleResolvers: true })
export class HostingEvent {
  @Computed(() => BigInteger, 'Number of the event, increasing with time.')
  fullDatabaseId!: string;

  @Computed(() => EventType, 'Type of the event.')
  type!: string;

  @Computed(() => EventActor, 'Actor who caused the event.')
  actor!: EventActor;

  @Computed(() => EventRepository, 'Repository of the event.')
  repository!: EventRepository;

  @Computed(() => EventPayload, 'Payload by the type of the event.')
  payload!: typeof EventPayload;

  @Computed(() => Boolean, 'Whether the repository is public now.')
  isPublic!: boolean;

  @Computed(() => DateTime, 'Time of the event.')
  createdAt!: string;

  @Computed(() => EventActor, "Organization that owns the repository; null for a user's repository.", { null: true })
  organization!: EventActor | null;
}

export const EventConnection = connectionOf('Event', () => HostingEvent, 'events of the past 90 days, at most 300');
