/** A host that receives no mail. It is derived from the public origin because commits are permanent. */
const noreplyHost = (publicOrigin: string): string => `users.noreply.${new URL(publicOrigin).hostname}`;

/**
 * The noreply address of an account, app or workflow. It contains the account id, which stays when the login changes.
 */
export function noreplyEmail(publicOrigin: string, id: number, login: string): string {
  return `${id}+${login}@${noreplyHost(publicOrigin)}`;
}

/** The account id in a noreply address; undefined for other addresses and for those of apps and workflows. */
export function accountOfNoreplyEmail(publicOrigin: string, address: string): number | undefined {
  const at = address.lastIndexOf('@');
  if (address.slice(at + 1).toLowerCase() !== noreplyHost(publicOrigin)) return undefined;
  const [, id] = /^(\d{1,15})\+[A-Za-z0-9-]+$/.exec(address.slice(0, at)) ?? [];
  return id === undefined ? undefined : Number(id);
}
