import type { Request } from 'express';

/** The request as if it had this `Authorization`: authentication reads a credential there that came in another way. */
export const withAuthorization = (request: Request, authorization: string | undefined): Request =>
  Object.create(request, { headers: { value: { ...request.headers, authorization } } });
