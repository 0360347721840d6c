/** What differs from GitHub's description on purpose. */
export interface GithubDifference {
  /** Parameters that are not taken. */
  parameters?: readonly string[];
  /** What the validation of an answer reports. */
  answers?: readonly RegExp[];
  /** Whether the description lacks the operation. */
  isAddition?: boolean;
  reason: string;
}

const lfsPreference: GithubDifference = {
  answers: [/^\/use_lfs must be boolean$/],
  reason:
    '`use_lfs` is a string (`opt_in`, `opt_out`, `undecided`), as the published contract and the recorded answers have it.',
};

const absentFeatures =
  'The product has no issues, projects, wikis, discussions, pull requests, teams and security analyses: their settings are ignored.';

/** Parameters that follow each other in the description. */
const merging = [
  'allow_squash_merge',
  'allow_merge_commit',
  'allow_rebase_merge',
  'allow_auto_merge',
  'delete_branch_on_merge',
];
const mergeMessages = [
  'squash_merge_commit_title',
  'squash_merge_commit_message',
  'merge_commit_title',
  'merge_commit_message',
];

/** By the name of the operation. `docs/github-compatibility.md` prints the reasons. */
export const githubDifferences: Readonly<Record<string, GithubDifference>> = {
  GetImportStatus: lfsPreference,
  SetLfsPreference: lfsPreference,
  StartImport: lfsPreference,
  UpdateImport: lfsPreference,
  ListInstallations: {
    parameters: ['since', 'outdated'],
    answers: [/^\/\*\/account/],
    reason:
      'The installations of an app are listed whole. The description wants keys of an enterprise in every account.',
  },
  ListInstallationsForAuthenticatedUser: {
    answers: [/^\/installations\/\*\/account/],
    reason: 'The description wants keys of an enterprise in every account.',
  },
  CreateRepoForAuthenticatedUser: {
    parameters: [
      'has_issues',
      'has_projects',
      'has_wiki',
      'has_discussions',
      'team_id',
      'gitignore_template',
      'license_template',
      ...merging,
      ...mergeMessages,
      'has_downloads',
    ],
    reason: absentFeatures,
  },
  CreateRepoInOrg: {
    parameters: [
      'has_issues',
      'has_projects',
      'has_wiki',
      'has_downloads',
      'team_id',
      'gitignore_template',
      'license_template',
      ...merging,
      'use_squash_pr_title_as_default',
      ...mergeMessages,
      'custom_properties',
    ],
    reason: absentFeatures,
  },
  UpdateRepo: {
    parameters: [
      'security_and_analysis',
      'has_issues',
      'has_projects',
      'has_wiki',
      'has_pull_requests',
      'pull_request_creation_policy',
      ...merging,
      'allow_update_branch',
      'use_squash_pr_title_as_default',
      ...mergeMessages,
      'allow_forking',
      'web_commit_signoff_required',
    ],
    reason: absentFeatures,
  },
  ListPendingInvitations: {
    parameters: ['invitation_source'],
    reason: 'Every invitation is by a member: there is no SCIM.',
  },
  CreateInvitation: {
    parameters: ['team_ids'],
    reason: 'The product has no teams. The roles `billing_manager` and `reinstate` are refused.',
  },
  CreateFork: {
    parameters: ['default_branch_only'],
    reason: 'A fork has all branches.',
  },
  Transfer: {
    parameters: ['team_ids'],
    reason: 'The product has no teams. Another user accepts or declines the repository in the graph.',
  },
  GetAllTopics: {
    parameters: ['page', 'per_page'],
    reason: 'A repository has at most 20 topics, which are one page.',
  },
  UpdateAuthenticated: {
    parameters: ['twitter_username', 'hireable'],
    reason: 'Profiles have no such facts.',
  },
  UpdateOrg: {
    parameters: [
      'billing_email',
      'twitter_username',
      'has_organization_projects',
      'has_repository_projects',
      'default_repository_permission',
      'members_can_create_repositories',
      'members_can_create_internal_repositories',
      'members_can_create_private_repositories',
      'members_can_create_public_repositories',
      'members_allowed_repository_creation_type',
      'members_can_create_pages',
      'members_can_create_public_pages',
      'members_can_create_private_pages',
      'members_can_fork_private_repositories',
      'web_commit_signoff_required',
      'advanced_security_enabled_for_new_repositories',
      'dependabot_alerts_enabled_for_new_repositories',
      'dependabot_security_updates_enabled_for_new_repositories',
      'dependency_graph_enabled_for_new_repositories',
      'secret_scanning_enabled_for_new_repositories',
      'secret_scanning_push_protection_enabled_for_new_repositories',
      'secret_scanning_push_protection_custom_link_enabled',
      'secret_scanning_push_protection_custom_link',
      'deploy_keys_enabled_for_repositories',
    ],
    reason: 'The settings belong to features and policies that the product does not have.',
  },
  ListMembers: {
    parameters: ['filter'],
    reason: 'The product has no two-factor authentication to filter by.',
  },
  GetCombinedStatusForRef: {
    parameters: ['per_page', 'page'],
    reason: 'The product has no commit statuses: the list in the answer is empty and has no pages.',
  },
  ListGitObjects: {
    isAddition: true,
    reason: 'Repositories must have `blobs_url` and others, whose id may be left out; the list is empty.',
  },
  ListBranchRefs: {
    isAddition: true,
    reason: 'Clients list the refs of a namespace; the description has `matching-refs` for it.',
  },
  ListTagRefs: {
    isAddition: true,
    reason: 'Clients list the refs of a namespace; the description has `matching-refs` for it.',
  },
  ListMerges: {
    isAddition: true,
    reason: 'Repositories must have `merges_url`; the list is empty.',
  },
  ListDownloads: {
    isAddition: true,
    reason: 'Repositories must have `downloads_url`; the list is empty.',
  },
  ListAuthorizations: {
    isAddition: true,
    reason: 'The root document of version 2022-11-28 must have `authorizations_url`; the list is empty.',
  },
};
