import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** The security headers of every response, made by helmet. They do not depend on the request. */
export function securityHeaders(): [name: string, value: string][] {
  const middleware = helmet({
    // Responses are data: nothing in them may load, run or be framed.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    // The APIs are used by pages of other origins; CORS decides which.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
  });
  const headers: [string, string][] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader() {},
  };
  let isComplete = false;
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, error => {
    isComplete = error === undefined;
  });
  if (!isComplete) throw new TypeError('A security header depends on the request.');
  return headers;
}
