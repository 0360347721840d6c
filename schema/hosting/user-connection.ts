import { connectionOf } from '../vocabulary/connection.ts';
import { User } from './account.ts';

export const UserConnection = connectionOf('User', () => User, 'users');
