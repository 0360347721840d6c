import type { CreateHookInput, HookSettingsFields, UpdateHookInput } from './hook-inputs.ts';
import { assertHookName, type HookChange, type HookSettings } from './write-hook.ts';

/** Settings of a new hook. @throws 422 for another name than that of webhooks */
export function newSettings({ config, ...input }: Omit<CreateHookInput, 'sourceId'>): HookSettings {
  return { ...settingsOf(input), ...config };
}

/** The same for a change. A configuration replaces the former one, so that a secret that it lacks is removed. */
export function changedSettings({ config, ...input }: Omit<UpdateHookInput, 'hookId' | 'sourceId'>): HookChange {
  if (config == null) return settingsOf(input);
  const { url, contentType, secret, insecureSsl } = config;
  const replaced = { url, contentType: contentType ?? 'form', secret: secret ?? '', insecureSsl: insecureSsl ?? false };
  return { ...settingsOf(input), ...replaced };
}

function settingsOf<Input extends HookSettingsFields>({ name, isTlsVerified, insecureSsl, ...settings }: Input) {
  assertHookName(name);
  return { ...settings, insecureSsl: isTlsVerified == null ? insecureSsl : !isTlsVerified };
}
