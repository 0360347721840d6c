import type {
  Level,
  PermissionGrant,
  PermissionGrantInput,
  PermissionMap,
} from '../../../schema/hosting/permission-map.ts';
import { badInput } from '../../errors/errors.ts';

/** Upper bound on the permissions of one input, above the number that exist. */
const most = 200;

/** Permissions as the graph has them, in the order of the map. */
export const grantsOf = (permissions: PermissionMap): PermissionGrant[] =>
  Object.entries(permissions).map(([name, level]) => ({ name, level }));

/** @throws GraphQLError BAD_USER_INPUT for names that no permission can have, names that are given twice, and too many */
export function permissionsOf(grants: readonly PermissionGrantInput[]): PermissionMap {
  if (grants.length > most) throw badInput(`permissions must have at most ${most} items.`, 'permissions');
  const map = new Map<string, Level>();
  for (const [index, { name, level }] of grants.entries()) {
    const field = `permissions.${index}.name`;
    if (!/^[a-z][a-z_]{0,63}$/.test(name))
      throw badInput(`${field} must have lower-case letters and underscores.`, field);
    if (map.has(name)) throw badInput(`${field} is given twice.`, field);
    map.set(name, level);
  }
  return Object.fromEntries(map);
}
