import type { ValueLimits } from '../../../schema/vocabulary/limits.ts';
import type { ValidationEntry } from '../../errors/errors.ts';

/** Published names of events that hooks can subscribe to, including those that this product never sends. */
const eventNames: ReadonlySet<string> = new Set([
  ...['branch_protection_configuration', 'branch_protection_rule', 'check_run', 'check_suite', 'code_scanning_alert'],
  ...['commit_comment', 'create', 'custom_property', 'custom_property_values', 'delete', 'dependabot_alert'],
  ...['deploy_key', 'deployment', 'deployment_protection_rule', 'deployment_review', 'deployment_status', 'discussion'],
  ...['discussion_comment', 'fork', 'gollum', 'issue_comment', 'issue_dependencies', 'issues', 'label', 'member'],
  ...['membership', 'merge_group', 'meta', 'milestone', 'org_block', 'organization', 'package', 'page_build'],
  ...['personal_access_token_request', 'ping', 'project', 'project_card', 'project_column', 'projects_v2'],
  ...['projects_v2_item', 'projects_v2_status_update', 'public', 'pull_request', 'pull_request_review'],
  ...['pull_request_review_comment', 'pull_request_review_thread', 'push', 'registry_package', 'release', 'repository'],
  ...['repository_advisory', 'repository_dispatch', 'repository_import', 'repository_ruleset'],
  ...['repository_vulnerability_alert', 'secret_scanning_alert', 'secret_scanning_alert_location'],
  ...['secret_scanning_scan', 'security_and_analysis', 'star', 'status', 'sub_issues', 'team', 'team_add', 'watch'],
  ...['workflow_dispatch', 'workflow_job', 'workflow_run'],
]);

/** Limits of the events of a hook. */
export const hookEventLimits = { minItems: 1 } as const satisfies ValueLimits;

/** Name of the kind of hook that calls a URL, the only one there is. */
export const hookName = 'web';

/** Subscribes to every event, those of later versions as well. */
export const allEvents = '*';

/** The names once each, in their order; `*` alone where it is among them. */
export function canonicalEvents(names: readonly string[]): string[] {
  return names.includes(allEvents) ? [allEvents] : [...new Set(names)];
}

export function eventProblems(names: readonly string[]): ValidationEntry[] {
  const message =
    names.length < hookEventLimits.minItems
      ? 'events must have at least one name'
      : unknownEventMessage(names.filter(isUnknown));
  return message === undefined ? [] : [{ resource: 'Hook', code: 'custom', message }];
}

const isUnknown = (name: string): boolean => name !== allEvents && !eventNames.has(name);

function unknownEventMessage([first]: readonly string[]): string | undefined {
  return first === undefined ? undefined : `events has an unknown name (${first.slice(0, 100)})`;
}
