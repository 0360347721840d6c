import type { RateLimitOverview } from '../../../schema/hosting/rate-limit.ts';
import type { Context } from '../../context/context.ts';
import { absent } from '../../errors/errors.ts';
import { type Resource, resourceLimits } from '../../limits/request-limit-tables.ts';

/**
 * Reads the state of all rate limits of the caller in one round trip.
 *
 * @throws 404 when rate limits are disabled.
 */
export async function rateLimitOverview({
  actor,
  rateLimiter,
}: Pick<Context, 'actor' | 'rateLimiter'>): Promise<RateLimitOverview> {
  if (rateLimiter.isOff) throw absent({}, 'Rate limiting is not enabled.');
  const quota = await rateLimiter.quotaOf(actor);
  const names = Object.keys(resourceLimits) as Resource[];
  const states = await rateLimiter.statesOf(
    quota,
    names.map(name => rateLimiter.windowOf(quota, name)),
  );
  const found = new Map(states.map(({ resource, ...state }) => [resource, state]));
  const at = (name: Resource) => {
    const state = found.get(name);
    if (!state) throw new TypeError(`The window ${name} was not looked at.`);
    return state;
  };
  return {
    resources: {
      core: at('core'),
      search: at('search'),
      graphql: at('graphql'),
      integrationManifest: at('integration_manifest'),
      sourceImport: at('source_import'),
      codeScanningAutofix: at('code_scanning_autofix'),
      actionsRunnerRegistration: at('actions_runner_registration'),
      scim: at('scim'),
      dependencySnapshots: at('dependency_snapshots'),
      codeSearch: at('code_search'),
    },
    rate: at('core'),
  };
}
