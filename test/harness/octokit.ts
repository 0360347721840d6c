import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { DemoHosting } from '../../seeds/hosting/demo-credentials.ts';
import type { TestGateway } from './gateway.ts';

/** A log that writes nothing. */
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Octokit as the demo app, or as one of its installations. */
export function octokitAsApp(
  { url }: Pick<TestGateway, 'url'>,
  { app }: DemoHosting,
  installationId?: number,
): Octokit {
  return new Octokit({
    baseUrl: `${url}/api/v3`,
    userAgent: 'portico tests',
    log: quiet,
    authStrategy: createAppAuth,
    auth: { appId: app.id, privateKey: app.private_key, ...(installationId ? { installationId } : {}) },
  });
}
