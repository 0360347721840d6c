import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

/** Levels, ascending; each includes those before it. */
export const levels = ['read', 'write', 'admin'] as const;
export type Level = (typeof levels)[number];

export const PermissionLevel = { READ: 'read', WRITE: 'write', ADMIN: 'admin' } as const;
registerEnumType(PermissionLevel, {
  name: 'PermissionLevel',
  description: 'Level of a permission. Each includes those before it.',
});

/** Permissions by name, such as `{contents: 'write', metadata: 'read'}`: those of a token or an app, independent of those of its owner. */
export type PermissionMap = Readonly<Record<string, Level>>;

@ObjectType({ description: 'Permission of a token or an app, with its level.', simpleResolvers: true })
export class PermissionGrant {
  @Computed(() => String, 'Name of the permission, such as `contents`.')
  name!: string;

  @Computed(() => PermissionLevel, 'Level that is granted.')
  level!: Level;
}

@InputType({ description: 'Permission to grant, with its level.' })
export class PermissionGrantInput {
  @Field(() => String, { description: 'Name of the permission: lower-case letters and underscores.' }) name!: string;
  @Field(() => PermissionLevel, { description: 'Level to grant.' }) level!: Level;
}
