import { basic } from '../../harness/hosting.ts';
import { addDelivery, type OfficialCalls, type OfficialWorld } from './official-world.ts';

const installation = async ({ demo, asApp }: OfficialWorld) => ({
  path: `/app/installations/${demo.app.installation_id}`,
  authorization: await asApp(),
});

const installationToken = async (world: OfficialWorld): Promise<string> => {
  const { path, authorization } = await installation(world);
  const { json } = await world.send('POST', `${path}/access_tokens`, authorization, {});
  return `Bearer ${json.token}`;
};

const delivery = ({ gateway, demo }: OfficialWorld): Promise<number> => addDelivery(gateway, { appId: demo.app.id });

/** A new token of the OAuth app for wren. */
async function clientToken({ graphql, demo }: OfficialWorld): Promise<string> {
  const document = `mutation($clientId: String!) {
    authorizeApp(input: { clientId: $clientId, scopes: ["repo"] }) { secret } }`;
  return (await graphql(document, { clientId: demo.oauth_app.client_id })).authorizeApp.secret;
}

const ofClient =
  (suffix: string, extra: object = {}): OfficialCalls[string] =>
  async world => ({
    path: `/applications/${world.demo.oauth_app.client_id}/${suffix}`,
    authorization: world.oauthApp,
    body: { access_token: await clientToken(world), ...extra },
  });

export const appCalls: OfficialCalls = {
  GetApp: async ({ asApp }) => ({ path: '/app', authorization: await asApp() }),
  GetInstallation: installation,
  CreateInstallationToken: async world => {
    const { path, authorization } = await installation(world);
    return [
      { path: `${path}/access_tokens`, authorization, body: {} },
      { path: `${path}/access_tokens`, authorization, body: { repositories: ['compass'] } },
    ];
  },
  GetAppBySlug: async () => ({ path: '/apps/harbor-pilot' }),
  ListInstallations: async ({ asApp }) => ({ path: '/app/installations', authorization: await asApp() }),
  ListInstallationsForAuthenticatedUser: async ({ demo }) => ({
    path: '/user/installations',
    authorization: `Bearer ${demo.users.wren.classic_token}`,
  }),
  ListReposAccessibleToInstallation: async world => ({
    path: '/installation/repositories',
    authorization: await installationToken(world),
  }),
  GetRepoInstallation: async ({ asApp }) => ({
    path: '/repos/harbor-lab/compass/installation',
    authorization: await asApp(),
  }),
  GetOrgInstallation: async ({ asApp }) => ({ path: '/orgs/harbor-lab/installation', authorization: await asApp() }),
  GetUserInstallation: async ({ asApp }) => ({ path: '/users/harbor-lab/installation', authorization: await asApp() }),
  RevokeInstallationToken: async world => ({
    path: '/installation/token',
    authorization: await installationToken(world),
  }),
  CheckToken: ofClient('token'),
  ResetToken: ofClient('token'),
  DeleteToken: ofClient('token'),
  DeleteGrant: ofClient('grant'),
  // Tokens of OAuth apps cannot be narrowed; those of apps can.
  ScopeToken: async ({ demo }) => ({
    path: `/applications/${demo.app.client_id}/token/scoped`,
    authorization: basic(demo.app.client_id, demo.app.client_secret),
    body: { access_token: demo.tokens.user_to_server, target: 'harbor-lab', permissions: { contents: 'read' } },
  }),
  GetWebhookConfig: async ({ asApp }) => ({ path: '/app/hook/config', authorization: await asApp() }),
  UpdateWebhookConfig: async ({ asApp }) => ({
    path: '/app/hook/config',
    authorization: await asApp(),
    body: { content_type: 'json' },
  }),
  ListDeliveries: async world => {
    await delivery(world);
    return { path: '/app/hook/deliveries', authorization: await world.asApp() };
  },
  GetDelivery: async world => ({
    path: `/app/hook/deliveries/${await delivery(world)}`,
    authorization: await world.asApp(),
  }),
  RedeliverDelivery: async world => ({
    path: `/app/hook/deliveries/${await delivery(world)}/attempts`,
    authorization: await world.asApp(),
  }),
};
