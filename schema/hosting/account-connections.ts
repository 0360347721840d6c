import { connectionOf } from '../vocabulary/connection.ts';
import { Organization, User } from './account.ts';
import { UserConnection } from './user-connection.ts';

export const FollowerConnection = connectionOf('Follower', () => User, 'followers', { edgesOf: UserConnection });

export const FollowingConnection = connectionOf('Following', () => User, 'followed users', { edgesOf: UserConnection });

export const OrganizationConnection = connectionOf('Organization', () => Organization, 'organizations');
