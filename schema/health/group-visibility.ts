import { registerEnumType } from 'type-graphql';

export const GroupVisibility = { OPEN: 'open', CLOSED: 'closed', SECRET: 'secret' } as const;
export type GroupVisibility = (typeof GroupVisibility)[keyof typeof GroupVisibility];
registerEnumType(GroupVisibility, {
  name: 'GroupVisibility',
  description:
    'Who finds and joins a group. `OPEN`: everyone. `CLOSED`: everyone finds it, and joins by request or invitation. `SECRET`: only members and the invited know of it.',
});
