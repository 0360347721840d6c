/**
 * Object types that have no `id`: wrappers, and values that have no row of their own. The option `exceptions` of the rule
 * `strict-id-in-types`. A noun with a row is never in here.
 */
export const typesWithoutId = {
  suffixes: [
    'Payload',
    'Connection',
    'Edge',
    // Rows of the data export, where the noun itself may be gone.
    'Record',
    // Parts of rulesets, stored in the row of the ruleset.
    'Conditions',
    'ConditionTarget',
    'Parameters',
    // Aggregates.
    'Counts',
    'Summary',
    'Usage',
  ],
  types: [
    'PageInfo',
    'GitHubMetadata',
    // Limits of requests.
    'RateLimit',
    'RateLimits',
    'RateLimitOverview',
    'RateLimitWindow',
    // For a REST contract: outcomes in words, and rows with the keys that it publishes.
    'ChatStanding',
    'CommunityStanding',
    'CompanionHistory',
    'RecommendedArticle',
    'RegisteredAccount',
    // What operators read of their settings, which the command line names by number.
    'ArticleFeed',
    'ArticleFeedRun',
    // Knowledge of the program.
    'VitalReferenceRange',
    // Parts of the parameters of a rule.
    'RequiredReviewerConfiguration',
    'DismissalRestriction',
    'RuleActor',
    // Parts of protected branches, stored in the row of the protection.
    'BranchActors',
    'RequiredChecks',
    'RequiredStatusCheckDescription',
    'ReviewPolicy',
    'StatusCheckPolicy',
    // A pair of a user and a repository.
    'RepositoryAccess',
    // API insights.
    'ApiInsights',
    'HealthInsights',
    'HostingInsights',
    'ApiTimeBucket',
    // Parts of git objects, and objects computed from them.
    'CommitVerification',
    'Contributor',
    'GitActor',
    'GpgSignature',
    'ArchiveLink',
    'CommitComparison',
    'CommitFile',
    'ContentEntry',
    'ContentLinks',
    'DirectoryContent',
    'DirectoryListing',
    'EntryCommit',
    'FileContent',
    'FileCreated',
    'FileDeleted',
    'FileUpdated',
    'NothingToMerge',
    'PageNumbers',
    'PlainText',
    'RawContent',
    'RenamedBranch',
    'RenderedContent',
    'RepositoryLocation',
    'SubmoduleContent',
    'SymlinkContent',
    'TreeListing',
    'TreeListingEntry',
    'SearchResults',
    'SshSignature',
    'TreeEntry',
    'UnknownSignature',
    // What an event or a delivery has kept of things that may have changed since.
    'DeliveryRequest',
    'DeliveryResponse',
    'HookConfig',
    'HookResponse',
    'EventActor',
    'EventCommit',
    'EventRepository',
    'PushedCommitPerson',
    // Keyed by the organization and the user; stored in the row of the app.
    'Membership',
    'Webhook',
    // Permissions, rules in effect, and parts of rule suites and source imports.
    'RepositoryPermissions',
    'PermissionGrant',
    // Keyed by the user and the repository.
    'RepositorySubscription',
    'RepositoryTopic',
    'Topic',
    'Language',
    'License',
    'RuleEvaluation',
    'RuleEvaluationSource',
    'RulesetLink',
    'RulesetLinks',
    'RuleOutcome',
    // One per repository, and deleted with its parts.
    'SourceImport',
    'SourceImportLargeFile',
    'SourceProject',
    // What an app learns about the token of a user, which it names by its secret.
    'ClientApp',
    'ClientAuthorization',
    'NarrowedInstallation',
    // An SSH key as others see it: the row is that of `SshKey`, which is private.
    'PublicKey',
    // What the token of the request reaches.
    'InstallationReach',
    // Secrets, shown once.
    'InstallationToken',
    // Parts of the health half that are computed or stored in their owner's row.
    'AssessmentResult',
    'CauseSource',
    'CompanionAnswer',
    'CompanionSource',
    'CrisisResource',
    'HealthDashboard',
    'HealthPeriod',
    'HealthDataExport',
    'FhirBundle',
    // What you see of other people: their accounts are not readable by id.
    'Contact',
    'PeerSuggestion',
    'PersonCard',
    // A position in a chat that a subscription reports.
    'ChatReadPosition',
    'InterviewAnswer',
    'InterviewQuestion',
    'PossibleCause',
    'SafetyNotice',
    'SuggestedAssessment',
    'SymptomCount',
  ],
};
