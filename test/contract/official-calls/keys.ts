import { randomBytes } from 'node:crypto';
import { sshKeyLine } from '../../harness/ssh-key-line.ts';
import type { OfficialCalls, OfficialWorld } from './official-world.ts';

/** A new Ed25519 key. Any 32 bytes are one. */
const newKey = (): string => sshKeyLine('ssh-ed25519', randomBytes(32));

const ownKey = async ({ send, wren }: OfficialWorld): Promise<string> =>
  `/user/keys/${(await send('POST', '/user/keys', wren, { key: newKey() })).json.id}`;

async function deployKey(world: OfficialWorld): Promise<string> {
  const path = `${await world.repository()}/keys`;
  return `${path}/${(await world.send('POST', path, world.wren, { key: newKey(), read_only: true })).json.id}`;
}

export const keyCalls: OfficialCalls = {
  ListPublicKeysForAuthenticatedUser: async world => {
    await ownKey(world);
    return { path: '/user/keys', authorization: world.wren };
  },
  ListPublicKeysForUser: async world => {
    await ownKey(world);
    return { path: '/users/wren/keys' };
  },
  GetPublicKeyForAuthenticatedUser: async world => ({ path: await ownKey(world), authorization: world.wren }),
  CreatePublicKeyForAuthenticatedUser: async ({ wren }) => ({
    path: '/user/keys',
    authorization: wren,
    body: { title: 'Laptop', key: newKey() },
  }),
  DeletePublicKeyForAuthenticatedUser: async world => ({ path: await ownKey(world), authorization: world.wren }),
  ListDeployKeys: async world => ({
    path: (await deployKey(world)).replace(/\/\d+$/, ''),
    authorization: world.wren,
  }),
  GetDeployKey: async world => ({ path: await deployKey(world), authorization: world.wren }),
  CreateDeployKey: async world => ({
    path: `${await world.repository()}/keys`,
    authorization: world.wren,
    body: { title: 'CI', key: newKey(), read_only: true },
  }),
  DeleteDeployKey: async world => ({ path: await deployKey(world), authorization: world.wren }),
};
