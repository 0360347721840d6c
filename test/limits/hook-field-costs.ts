import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { bulkHookId } from '../harness/bulk-world.ts';
import { compass, type FieldCase } from './field-cost-table.ts';

/** Worst cases of hooks, SSH keys and invitations. */
export function hookFieldCases(): FieldCase[] {
  const hooks = 'hooks(first: 100) { nodes { databaseId lastResponse { code } } }';
  const keys = 'sshKeys(first: 100) { nodes { databaseId title } }';
  const key = `sshKey(id: "${encodeGlobalId('SshKey', 1)}") { title }`;
  const hook = (n: number) => `hook(id: "${encodeGlobalId('Hook', bulkHookId + n)}") { lastResponse { code } }`;
  const deliveries = (args: string, below: string) =>
    `{ node(id: "${encodeGlobalId('Hook', bulkHookId)}") { ... on Hook { deliveries(${args}) { ${below} } } } }`;
  return [
    { field: 'Repository.hooks', as: 'wren', document: `{ repository(${compass}) { ${hooks} } }`, units: 2 },
    { field: 'Repository.hook', as: 'wren', document: `{ repository(${compass}) { ${hook(0)} } }`, units: 2 },
    {
      field: 'Organization.hooks',
      as: 'wren',
      document: `{ organization(login: "harbor-lab") { ${hooks} } }`,
      units: 2,
    },
    {
      field: 'Organization.hook',
      as: 'wren',
      document: `{ organization(login: "harbor-lab") { ${hook(110)} } }`,
      units: 2,
    },
    {
      field: 'Hook.deliveries',
      as: 'wren',
      document: deliveries('first: 100', 'nodes { databaseId guid }'),
      units: 2,
    },
    {
      field: 'WebhookDeliveryConnection.previousCursor',
      as: 'wren',
      document: deliveries('first: 100, after: "v1_1"', 'nodes { databaseId } previousCursor'),
      units: 3,
    },
    { field: 'User.sshKeys', as: 'wren', document: `{ viewer { ${keys} } }`, units: 2 },
    {
      field: 'User.publicKeys',
      as: 'wren',
      document: '{ user(login: "wren") { publicKeys(first: 100) { nodes { key } totalCount } } }',
      units: 2,
    },
    { field: 'User.sshKey', as: 'wren', document: `{ viewer { ${key} } }`, units: 2 },
    {
      field: 'Organization.invitation',
      as: 'wren',
      document: `{ organization(login: "harbor-lab") { invitation(id: "${encodeGlobalId('OrganizationInvitation', 1)}") { role } } }`,
      units: 2,
    },
    {
      field: 'Organization.membership',
      as: 'wren',
      document: `{ organization(login: "harbor-lab") { membership(userId: "${encodeGlobalId('User', 1)}") { role } } }`,
      units: 2,
    },
    {
      field: 'User.membership',
      as: 'wren',
      document: `{ viewer { name membership(organizationId: "${encodeGlobalId('Organization', 1)}") { role } } }`,
      units: 2,
    },
    {
      field: 'User.memberships',
      as: 'wren',
      document: '{ viewer { name memberships(first: 100) { nodes { role } totalCount } } }',
      units: 2,
    },
    { field: 'Repository.sshKey', as: 'wren', document: `{ repository(${compass}) { ${key} } }`, units: 2 },
    {
      field: 'Repository.invitations',
      as: 'wren',
      document: `{ repository(${compass}) { invitations(first: 100) { nodes { permission invitee { login } } totalCount } } }`,
      units: 2,
    },
    {
      field: 'User.repositoryInvitations',
      as: 'wren',
      document:
        '{ viewer { repositoryInvitations(first: 100) { nodes { permission inviter { login } } totalCount } } }',
      units: 2,
    },
    {
      field: 'Repository.transfer',
      as: 'wren',
      document: `{ repository(${compass}) { transfer { newName } } }`,
      units: 3,
    },
    {
      field: 'Organization.invitations',
      as: 'wren',
      document:
        '{ organization(login: "harbor-lab") { invitations(first: 100) { nodes { role invitee { login } inviter { login } } totalCount } } }',
      units: 2,
    },
    { field: 'Repository.sshKeys', as: 'wren', document: `{ repository(${compass}) { ${keys} } }`, units: 2 },
  ];
}
