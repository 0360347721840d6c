import { expect, test } from '@jest/globals';
import {
  canonicalAddress,
  InvalidMailAddressError,
  parseMailAddress,
  parseSender,
} from '../../src/mail/mail-address.ts';

test.each([
  ['ann@example.org', 'ann@example.org'],
  ['Ann.O+news@Example.ORG', 'Ann.O+news@example.org'],
  ["o'neil@example.org", "o'neil@example.org"],
  ['ann@mail.example.co.uk', 'ann@mail.example.co.uk'],
  ['root@localhost', 'root@localhost'],
  ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
  ['用户@例子.example', '用户@xn--fsqu00a.example'],
  [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
])('%s is sent to as %s', (text, address) => {
  expect(parseMailAddress(text)).toBe(address);
});

test.each([
  '',
  '@',
  'ann',
  'ann@',
  '@example.org',
  'ann@@example.org',
  'ann@example.org ',
  'ann @example.org',
  'ann@exa mple.org',
  'ann@example..org',
  'ann@.example.org',
  'ann@example.org.',
  'ann@-example.org',
  'ann@exa_mple.org',
  'ann@example.org:25',
  'ann@example.org/path',
  'ann@%65xample.org',
  'ann@127.0.0.1',
  'ann@[127.0.0.1]',
  'ann@[::1]',
  '"ann"@example.org',
  'ann(comment)@example.org',
  'ann;eve@example.org',
  'ann\u0007@example.org',
  'ann\u200b@example.org',
  'ann@exam\u00adple.org',
  'ann@example.org\r\n',
  `${'a'.repeat(65)}@example.org`,
  `ann@${'a'.repeat(64)}.org`,
  `ann@${`${'a'.repeat(60)}.`.repeat(5)}org`,
])('%j is not an address', text => {
  expect(() => parseMailAddress(text)).toThrow(InvalidMailAddressError);
});

test('the error does not repeat the address', () => {
  expect(() => parseMailAddress('secret person@example.org')).toThrow(/^(?!.*secret)/);
});

test.each([
  ['Ann.O@Example.ORG', 'Ann.O@Example.ORG'],
  ['ann@ｅｘａｍｐｌｅ.org', 'ann@example.org'],
  ['ann@BÜCHER.example', 'ann@bücher.example'],
  ['ann@xn--bcher-kva.example', 'ann@bücher.example'],
  ['ann@XN--BCHER-KVA.example', 'ann@bücher.example'],
  ['jose\u0301@bu\u0308cher.example', 'jos\u00e9@bücher.example'],
  ['no address', 'no address'],
  ['@', '@'],
])('the canonical spelling of %j is %j', (text, spelling) => {
  expect(canonicalAddress(text)).toBe(spelling);
  expect(canonicalAddress(spelling)).toBe(spelling);
});

test.each([
  ['Portico <no-reply@example.org>', { name: 'Portico', address: 'no-reply@example.org' }],
  ['no-reply@example.org', { name: '', address: 'no-reply@example.org' }],
  ['Gesundheit für alle <post@bücher.example>', { name: 'Gesundheit für alle', address: 'post@xn--bcher-kva.example' }],
])('parses the sender %s', (text, sender) => {
  expect(parseSender(text)).toEqual(sender);
});

test('rejects a sender with a line break', () => {
  expect(() => parseSender('Portico\r\nBcc: eve@example.org <no-reply@example.org>')).toThrow(InvalidMailAddressError);
});
