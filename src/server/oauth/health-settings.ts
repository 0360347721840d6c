import type { Request, RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import { signInPath, type Visitor } from '../../pages/visitor.ts';
import type { PageAdmission } from '../page-admission.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';
import { type FormRules, readPageRequest, sendPage } from './form-page.ts';
import { personalData } from './personal-data-settings.ts';
import { privacy } from './privacy-settings.ts';
import type { PersonActor } from './session-kinds.ts';
import type { SettingsPage } from './settings-request.ts';

export interface HealthSettingsOptions extends Pick<FormRules<PersonActor>, 'forms' | 'origin'> {
  /** The guarded graph. */
  graph: GraphQLSchema;
  healthBrowsers: BrowserSessions<PersonActor>;
  pageAdmissions: PageAdmission;
}

function settingsPage(page: SettingsPage, options: HealthSettingsOptions): RequestHandler {
  const { graph, healthBrowsers: sessions, forms, origin } = options;
  return async (request: Request, response) => {
    await options.pageAdmissions.admit(request, response);
    const read = await readPageRequest(request, response, { sessions, forms, origin, product: 'health' });
    if ('refused' in read) return sendPage(response, read.refused);
    const { query, form, session } = read;
    if (!session) {
      const { originalUrl: path } = request;
      return sendPage(response, { redirectTo: signInPath({ product: 'health', path }) });
    }
    const outcome = await page({ graph, context: session.context, response, query, form });
    if (outcome !== 'sent') sendPage(response, outcome, visitorOf(session, request.path));
  };
}

const visitorOf = ({ formToken }: BrowserSession<PersonActor>, path: string): Visitor => ({
  product: 'health',
  isPerson: true,
  formToken,
  path,
});

/** Pages with which a person decides about their data, by path. They work without scripts. */
export const healthSettings = (
  options: HealthSettingsOptions,
): readonly (readonly [path: string, page: RequestHandler])[] => [
  ['/health/privacy', settingsPage(privacy, options)],
  ['/health/data', settingsPage(personalData, options)],
];
