import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { ClientDisconnectedError } from 'operation-rest';
import type { Context } from '../../src/context/context.ts';
import { LargeGraphqlBodies } from '../../src/server/large-graphql-body.ts';

test('a body whose client has left is not read into memory', async () => {
  const bodies = new LargeGraphqlBodies({ maxBodyBytes: 1_000, access: new Set() });
  const context = { actor: { kind: 'anonymous', ip: '192.0.2.1' } } as unknown as Context;
  const read = (isGone: boolean): Promise<Buffer> => {
    const request = new PassThrough();
    request.end('x'.repeat(100));
    const response = Object.assign(new PassThrough(), { destroyed: isGone });
    const limits = { context, maxBytes: 1_000, smallBytes: 10 };
    return bodies.read(request as unknown as Request, response as unknown as Response, limits);
  };
  await expect(read(true)).rejects.toThrow(ClientDisconnectedError);
  expect((await read(false)).toString()).toBe('x'.repeat(100));
});
