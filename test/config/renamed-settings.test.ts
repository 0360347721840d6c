import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { renamedSettings, renamedSettingsWarning } from '../../src/config/renamed-settings.ts';
import { settings } from '../../src/config/settings.ts';

const values: Record<keyof typeof renamedSettings, string> = {
  THROTTLE: '3',
  LIVE_CONNECTIONS: '7',
  OUTBOUND_ALLOW: 'hooks.example.org',
  HOST_BRAND: 'acme',
  CRISIS_RESOURCES: 'US',
};

describe('a renamed setting', () => {
  test.each(Object.entries(renamedSettings))('%s is read as %s, unless that is set', (former, name) => {
    const value = values[former as keyof typeof values];
    expect(readConfig({ [former]: value })[name]).toEqual(readConfig({ [name]: value })[name]);
    expect(readConfig({ [former]: ' ', [name]: value })[name]).toEqual(readConfig({ [name]: value })[name]);
  });

  test.each(Object.entries(renamedSettings))('%s together with %s is an error that names both', (former, name) => {
    const value = values[former as keyof typeof values];
    const both = () => readConfig({ [former]: value, [name]: value });
    expect(both).toThrow(ConfigError);
    expect(both).toThrow(`${former} is the former name of ${name}, and both are set: remove ${former}.`);
  });

  test('has a new name that exists, and a former name that does not', () => {
    for (const [former, name] of Object.entries(renamedSettings)) {
      expect(settings).toHaveProperty(name);
      expect(settings).not.toHaveProperty(former);
    }
  });
});

test('the warning names each former name in use with its new name, once', () => {
  expect(renamedSettingsWarning({ THROTTLE: 'off', HOST_BRAND: 'acme', LIVE_CONNECTIONS: '' })).toBe(
    'Settings have new names: THROTTLE is now RATE_LIMIT_FACTOR, HOST_BRAND is now HOSTING_BRAND. The former names work until 0.3.0.',
  );
  expect(renamedSettingsWarning({ RATE_LIMIT_FACTOR: 'off' })).toBeUndefined();
});
