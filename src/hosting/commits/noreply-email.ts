/** A host that receives no mail. It is derived from the public origin because commits are permanent. */
const noreplyHost = (publicOrigin: string): string => `users.noreply.${new URL(publicOrigin).hostname}`;

/**
 * The noreply address of an account, app or workflow. It contains the account id, which stays when the login changes.
 */
export function noreplyEmail(publicOrigin: string, id: number, login: string): string {
  return `${id}+${login}@${noreplyHost(publicOrigin)}`;
}

/** The id of the user in a noreply address; undefined for other addresses and for those of apps and workflows. */
export function accountOfNoreplyEmail(publicOrigin: string, address: string): number | undefined {
  const found = parseNoreplyEmail(publicOrigin, address);
  return found && !found.login.endsWith(']') ? found.id : undefined;
}

/**
 * The id and the lower-case login of the bot in a noreply address of an app. Addresses of older commits have the id of the app,
 * which may be that of another bot: the login must be compared as well.
 */
export function botOfNoreplyEmail(publicOrigin: string, address: string): { id: number; login: string } | undefined {
  const found = parseNoreplyEmail(publicOrigin, address);
  return found?.login.endsWith(']') ? found : undefined;
}

function parseNoreplyEmail(publicOrigin: string, address: string): { id: number; login: string } | undefined {
  const at = address.lastIndexOf('@');
  if (address.slice(at + 1).toLowerCase() !== noreplyHost(publicOrigin)) return undefined;
  const [, id, login] = /^(\d{1,15})\+([A-Za-z0-9-]+(?:\[bot\])?)$/i.exec(address.slice(0, at)) ?? [];
  return id === undefined || login === undefined ? undefined : { id: Number(id), login: login.toLowerCase() };
}
