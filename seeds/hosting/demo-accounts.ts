import type { PermissionMap } from '../../schema/hosting/permission-map.ts';

/** Demo users. `classic`: scopes of their classic token; the first user is the site administrator. */
export const users = {
  wren: {
    name: 'Wren Achterberg',
    bio: 'Keeps the lights on.',
    classic: [
      'repo',
      'workflow',
      'admin:org',
      'admin:org_hook',
      'admin:public_key',
      'admin:signing_key',
      'notifications',
      'user',
      'site_admin',
    ],
  },
  juniper: {
    name: 'Juniper Okafor',
    bio: 'Maps, mostly of places that are there.',
    classic: ['repo', 'workflow', 'read:org', 'admin:signing_key', 'notifications', 'user'],
  },
  tomas: { name: 'Tomás Ribeiro', bio: null, classic: ['repo', 'workflow', 'read:org', 'user'] },
  linh: { name: 'Linh Dao', bio: 'Reads more than she writes.', classic: ['public_repo', 'user'] },
  okello: { name: 'Okello Birungi', bio: null, classic: [] },
} as const satisfies Record<string, { name: string; bio: string | null; classic: readonly string[] }>;

export type Login = keyof typeof users;

/** Organizations with the roles of their members. */
export const organizations = {
  'harbor-lab': {
    name: 'Harbor Lab',
    bio: 'Open charts for small boats.',
    enforcesSso: false,
    members: { wren: 'admin', juniper: 'member', tomas: 'member' },
  },
  northgate: {
    name: 'Northgate',
    bio: 'Enforces single sign-on.',
    enforcesSso: true,
    members: { wren: 'admin', tomas: 'member' },
  },
} as const satisfies Record<
  string,
  { name: string; bio: string; enforcesSso: boolean; members: Partial<Record<Login, 'member' | 'admin'>> }
>;

interface DemoRepository {
  owner: string;
  name: string;
  description: string;
  isPrivate?: boolean;
  isArchived?: boolean;
  fork?: string;
  topics?: readonly string[];
}

/** Repositories; their contents are in `git-histories.ts`. */
export const repositories: readonly DemoRepository[] = [
  {
    owner: 'harbor-lab',
    name: 'compass',
    description: 'Which way is north, as a library.',
    topics: ['maps', 'library'],
  },
  { owner: 'harbor-lab', name: 'tides', description: 'Tables of tides, and the program that makes them.' },
  { owner: 'harbor-lab', name: 'ledger', description: 'What the lab owes whom.', isPrivate: true },
  { owner: 'northgate', name: 'handbook', description: 'How things are done at Northgate.' },
  { owner: 'northgate', name: 'vault', description: 'What stays at Northgate.', isPrivate: true },
  { owner: 'wren', name: 'dotfiles', description: 'A shell that feels like home.' },
  { owner: 'juniper', name: 'notebook', description: 'Drafts.', isPrivate: true },
  { owner: 'tomas', name: 'compass', description: 'Which way is north, as a library.', fork: 'harbor-lab/compass' },
  { owner: 'linh', name: 'attic', description: 'Kept, not used.', isArchived: true },
];

/** Collaborators of repositories. */
export const collaborators = [
  { repository: 'harbor-lab/ledger', login: 'linh', role: 'read' },
  { repository: 'harbor-lab/tides', login: 'linh', role: 'maintain' },
  { repository: 'juniper/notebook', login: 'okello', role: 'write' },
] as const;

/** Resource owner and permissions of each fine-grained token. */
export const fineGrained: Record<Login, { owner: string; permissions: PermissionMap }> = {
  wren: {
    owner: 'harbor-lab',
    permissions: {
      contents: 'write',
      administration: 'write',
      workflows: 'write',
      members: 'write',
      organization_administration: 'write',
      organization_api_insights: 'read',
      organization_events: 'read',
    },
  },
  juniper: { owner: 'harbor-lab', permissions: { contents: 'write', workflows: 'write', starring: 'write' } },
  tomas: { owner: 'harbor-lab', permissions: { contents: 'read', events: 'read' } },
  linh: { owner: 'linh', permissions: { contents: 'write', events: 'read' } },
  okello: { owner: 'okello', permissions: { metadata: 'read' } },
};

/** An app of the lab, installed in all its repositories. */
export const app = {
  owner: 'harbor-lab',
  slug: 'harbor-pilot',
  name: 'Harbor Pilot',
  description: 'Brings changes in and out.',
  permissions: {
    contents: 'write',
    metadata: 'read',
    workflows: 'write',
    administration: 'read',
    organization_administration: 'write',
    organization_api_insights: 'read',
    organization_events: 'read',
  },
  events: ['push', 'repository'],
} as const;

export const oauthApp = { owner: 'wren', name: 'Lighthouse' } as const;
