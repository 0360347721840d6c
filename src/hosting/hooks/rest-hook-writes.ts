import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import type { OwningSource } from '../owning-source.ts';
import { redeliver } from '../webhooks/redeliver.ts';
import type { HookChangeArgs, HookConfigInput, NewHookArgs } from './hook-inputs.ts';
import { type HookRow, hookOf } from './hooks.queries.ts';
import { assertHookName, type HookChange, type HookSettings } from './write-hook.ts';

/** Settings of a document of REST. @throws 422 for another service than webhooks */
export function settingsOfRest({ service, config, events, active }: NewHookArgs): HookSettings {
  assertHookName(service);
  return { ...configOf(config ?? {}), events, isActive: active };
}

/** The same for a change: a configuration replaces the former one, so that a secret that it lacks is removed. */
export function changeOfRest({ addEvents, removeEvents, ...args }: HookChangeArgs): HookChange {
  const { url, contentType, secret, insecureSsl, ...others } = settingsOfRest(args);
  const replaced = { url, contentType: contentType ?? 'form', secret: secret ?? '', insecureSsl: insecureSsl ?? false };
  return { ...others, ...(args.config == null ? {} : replaced), addEvents, removeEvents };
}

const configOf = ({ url, content_type, secret, insecure_ssl }: HookConfigInput): HookSettings => ({
  url,
  contentType: content_type,
  secret,
  insecureSsl: insecure_ssl,
});

/** A hook after a write. */
export async function requireHook(
  context: Context,
  source: OwningSource,
  id: number,
  info: GraphQLResolveInfo,
): Promise<HookRow> {
  const found = await hookOf(context, source, id, selectionOf(info));
  if (!found) throw notFound();
  return found;
}

/** Sends a delivery of a hook of the source again. @throws as `redeliver`; 404 when the source has no such hook */
export async function redeliverOfSource(
  context: Context,
  source: OwningSource,
  hookId: number,
  deliveryId: number,
): Promise<object> {
  if (!(await hookOf(context, source, hookId, noSelection))) throw notFound();
  await redeliver(context, { hookId }, deliveryId);
  return {};
}
