/** Where nothing is delivered: addresses at this host only say whose commit it is. Commits are kept, so it is the public origin's. */
const noreplyHost = (publicOrigin: string): string => `users.noreply.${new URL(publicOrigin).hostname}`;

/** The address of an account, app or workflow that shows none. `id` of the account: it stays when the login changes. */
export function noreplyEmail(publicOrigin: string, id: number, login: string): string {
  return `${id}+${login}@${noreplyHost(publicOrigin)}`;
}

/** The account that such an address belongs to; undefined for any other address, and for those of apps and workflows. */
export function accountOfNoreplyEmail(publicOrigin: string, address: string): number | undefined {
  const at = address.lastIndexOf('@');
  if (address.slice(at + 1).toLowerCase() !== noreplyHost(publicOrigin)) return undefined;
  const [, id] = /^(\d{1,15})\+[A-Za-z0-9-]+$/.exec(address.slice(0, at)) ?? [];
  return id === undefined ? undefined : Number(id);
}
