import { addDelivery, type OfficialCalls, type OfficialWorld } from './official-world.ts';

const organization = '/orgs/harbor-lab';
const config = { url: 'https://receiver.example/hooks', content_type: 'json', secret: 'a secret' };

/** Path of a new hook. */
async function hookBelow({ send }: OfficialWorld, source: string): Promise<string> {
  // Two hooks of a source are not alike.
  const url = `https://receiver.example/${++made}`;
  const { json } = await send('POST', `${source}/hooks`, undefined, { name: 'web', config: { ...config, url } });
  return `${source}/hooks/${json.id}`;
}

let made = 0;

/** Path of a delivery of a new hook. */
async function deliveryBelow(world: OfficialWorld, source: string): Promise<string> {
  const path = await hookBelow(world, source);
  const id = await addDelivery(world.gateway, { hookId: Number(path.split('/').at(-1)) });
  return `${path}/deliveries/${id}`;
}

type Below = (world: OfficialWorld, source: string) => Promise<string>;

const ofRepository =
  (below: Below, suffix = '', body?: object): OfficialCalls[string] =>
  async world => ({
    path: `${await below(world, await world.repository())}${suffix}`,
    authorization: world.wren,
    body,
  });
const ofOrganization =
  (below: Below, suffix = '', body?: object): OfficialCalls[string] =>
  async world => ({ path: `${await below(world, organization)}${suffix}`, authorization: world.wren, body });

const list: Below = async (world, source) => {
  await deliveryBelow(world, source);
  return source;
};
const deliveries: Below = async (world, source) => (await deliveryBelow(world, source)).replace(/\/\d+$/, '');
const source: Below = async (_, path) => path;

export const hookCalls: OfficialCalls = {
  ListRepoHooks: ofRepository(list, '/hooks'),
  CreateRepoHook: ofRepository(source, '/hooks', { name: 'web', active: true, events: ['push', 'fork'], config }),
  GetRepoHook: ofRepository(hookBelow),
  UpdateRepoHook: ofRepository(hookBelow, '', { active: false, add_events: ['star'], remove_events: ['push'] }),
  DeleteRepoHook: ofRepository(hookBelow),
  GetRepoHookConfig: ofRepository(hookBelow, '/config'),
  UpdateRepoHookConfig: ofRepository(hookBelow, '/config', { content_type: 'form', insecure_ssl: 1 }),
  PingRepoHook: ofRepository(hookBelow, '/pings'),
  TestRepoHook: ofRepository(hookBelow, '/tests'),
  ListRepoHookDeliveries: ofRepository(deliveries),
  GetRepoHookDelivery: ofRepository(deliveryBelow),
  RedeliverRepoHookDelivery: ofRepository(deliveryBelow, '/attempts'),
  ListOrgHooks: ofOrganization(list, '/hooks'),
  CreateOrgHook: ofOrganization(source, '/hooks', { name: 'web', events: ['*'], config }),
  GetOrgHook: ofOrganization(hookBelow),
  UpdateOrgHook: ofOrganization(hookBelow, '', { name: 'web', active: false, events: ['star'] }),
  DeleteOrgHook: ofOrganization(hookBelow),
  GetOrgHookConfig: ofOrganization(hookBelow, '/config'),
  UpdateOrgHookConfig: ofOrganization(hookBelow, '/config', { content_type: 'form' }),
  PingOrgHook: ofOrganization(hookBelow, '/pings'),
  ListOrgHookDeliveries: ofOrganization(deliveries),
  GetOrgHookDelivery: ofOrganization(deliveryBelow),
  RedeliverOrgHookDelivery: ofOrganization(deliveryBelow, '/attempts'),
};
