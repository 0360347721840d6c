import type { Request, RequestHandler, Response } from 'express';
import type { ServiceActor } from '../../auth/actor.ts';
import { ServiceSignedInPage, ServiceSignInPage } from '../../pages/dashboards/service-sign-in.tsx';
import type { PageAdmission } from '../page-admission.ts';
import type { BrowserSessions, SessionOptions } from './browser-session.ts';
import { localPath, readPageRequest, sendPage } from './form-page.ts';

export interface ServiceSignInOptions extends Pick<SessionOptions, 'origin' | 'forms'> {
  pageAdmissions: PageAdmission;
  serviceBrowsers: BrowserSessions<ServiceActor>;
}

/** `/login/service`: signs a browser in with a service credential, and signs it out. */
export function serviceSignIn(options: ServiceSignInOptions): RequestHandler {
  const { serviceBrowsers: browsers, forms, origin, pageAdmissions } = options;

  const ask = (request: Request, response: Response, isRefused: boolean): void => {
    const hidden = { form_token: forms.ofVisit(request, response) };
    const problem = isRefused ? 'This is no service credential, or it is not valid any more.' : undefined;
    sendPage(response, { page: ServiceSignInPage({ hidden, problem }), status: isRefused ? 422 : 200 });
  };

  return async (request, response) => {
    await pageAdmissions.admit(request, response);
    const read = await readPageRequest(request, response, { sessions: browsers, forms, origin, product: 'service' });
    if ('refused' in read) return sendPage(response, read.refused);
    const { query, form, session } = read;
    if (form?.action === 'sign-in') {
      if (!(await browsers.signIn(request, response, form.token?.trim() ?? ''))) return ask(request, response, true);
      return response.redirect(303, localPath(query.return_to) ?? '/dashboards/service');
    }
    if (!session) return ask(request, response, false);
    if (form?.action === 'sign-out') {
      await browsers.signOut(request, response, session);
      return response.redirect(303, '/login/service');
    }
    const returnTo = localPath(query.return_to);
    if (returnTo !== undefined) return sendPage(response, { redirectTo: returnTo });
    const page = ServiceSignedInPage({ hidden: { form_token: session.formToken } });
    sendPage(response, { page }, { product: 'service', isService: true });
  };
}
