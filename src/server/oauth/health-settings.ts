import type { Request, RequestHandler, Response } from 'express';
import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { Context } from '../../context/context.ts';
import { exportAccount } from '../../health/accounts/export-account.ts';
import { modelProvider } from '../../health/consents/consents.ts';
import { purposeTexts } from '../../health/consents/purposes.ts';
import { fhirBundle, fhirMediaType } from '../../health/fhir/fhir-bundle.ts';
import { PersonalDataPage, type PersonalDataProps } from '../../pages/health/personal-data.tsx';
import {
  PrivacyPage,
  type PrivacyProps,
  type ShownCondition,
  type Visibility,
  visibilities,
} from '../../pages/health/privacy.tsx';
import type { Problems } from '../../pages/health/settings-form.tsx';
import { signInPath, type Visitor } from '../../pages/visitor.ts';
import type { PageAdmission } from '../page-admission.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';
import { ambiguous, type FormRules, notice, type PageOutcome, readPageRequest, sendPage } from './form-page.ts';
import type { PersonActor } from './session-kinds.ts';
import type { Parameters } from './token-endpoint.ts';

export interface HealthSettingsOptions extends Pick<FormRules<PersonActor>, 'forms' | 'origin'> {
  /** The guarded graph. */
  graph: GraphQLSchema;
  healthBrowsers: BrowserSessions<PersonActor>;
  pageAdmissions: PageAdmission;
}

/** A request for a page of settings, of a browser that is signed in. */
interface SettingsRequest {
  graph: GraphQLSchema;
  context: Context;
  response: Response;
  query: Parameters;
  form: Parameters | undefined;
}

type SettingsPage = (request: SettingsRequest) => Promise<PageOutcome | 'sent'>;

function settingsPage(page: SettingsPage, options: HealthSettingsOptions): RequestHandler {
  const { graph, healthBrowsers: sessions, forms, origin } = options;
  return async (request: Request, response, next) => {
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) return next();
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

/** Runs a document of the graph as the person. @throws the error, unless it is an answer to what was sent */
async function run<Data>(
  { graph, context }: Pick<SettingsRequest, 'graph' | 'context'>,
  document: DocumentNode,
  variableValues: Record<string, unknown> = {},
): Promise<Data> {
  context.isMutation = document.definitions.some(one => 'operation' in one && one.operation === 'mutation');
  const { data, errors } = await execute({ schema: graph, document, variableValues, contextValue: context });
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return data as Data;
}

const privacyDocument =
  parse(`{ healthViewer { displayName fullName age isVisibleInCommunity conditions symptoms hasHypertension
  hasDiabetes conditionsForPeers conditionsForSuggestions areMessagesSharedWithAi isProfileSharedWithAi
  consents { purpose subject provider givenAt withdrawnAt } } }`);
const saveDocument = parse(`mutation ($input: UpdateHealthProfileInput!) {
  updateHealthProfile(input: $input) { viewer { id } } }`);

interface PrivacyData {
  displayName: string;
  fullName: string;
  age: number | null;
  isVisibleInCommunity: boolean;
  conditions: string[];
  symptoms: string[];
  hasHypertension: string | null;
  hasDiabetes: string | null;
  conditionsForPeers: string[];
  conditionsForSuggestions: string[];
  areMessagesSharedWithAi: boolean;
  isProfileSharedWithAi: boolean;
  consents: PrivacyProps['consents'];
}

/** The conditions and symptoms of a profile in the spelling in which they are compared. */
function conditionsOf(viewer: PrivacyData): ShownCondition[] {
  const answered = [
    ['diabetes', viewer.hasDiabetes],
    ['hypertension', viewer.hasHypertension],
  ].flatMap(([name, answer]) => (answer === 'YES' ? [name as string] : []));
  const stated = [...answered, ...viewer.conditions, ...viewer.symptoms].map(one =>
    one.trim().replace(/\s+/g, ' ').toLowerCase(),
  );
  const visibilityOf = (text: string): Visibility => {
    if (viewer.conditionsForSuggestions.includes(text)) return 'suggestions';
    return viewer.conditionsForPeers.includes(text) ? 'peers' : 'private';
  };
  return [...new Set(stated)].map(text => ({ text, visibility: visibilityOf(text) }));
}

/** What a form changes: a box that stands as it did is no decision. */
function changeOf(form: Parameters, viewer: PrivacyData): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  const name = form.displayName ?? '';
  if (name !== viewer.displayName) change.displayName = name;
  const boxes = ['isVisibleInCommunity', 'areMessagesSharedWithAi', 'isProfileSharedWithAi'] as const;
  for (const box of boxes) {
    const isOn = form[box] === 'on';
    if (isOn !== viewer[box]) change[box] = isOn;
  }
  const shown = shownBy(form);
  if (shown.length > 0) {
    const textsOf = (wanted: Visibility): string[] =>
      shown.flatMap(({ text, visibility }) => (visibility === wanted ? [text] : []));
    change.conditionsForPeers = textsOf('peers');
    change.conditionsForSuggestions = textsOf('suggestions');
  }
  return change;
}

function shownBy(form: Parameters): ShownCondition[] {
  const shown: ShownCondition[] = [];
  for (let at = 0; form[`condition.${at}`] !== undefined; at++) {
    const chosen = form[`visibility.${at}`] ?? 'private';
    shown.push({
      text: form[`condition.${at}`] ?? '',
      visibility: Object.hasOwn(visibilities, chosen) ? (chosen as Visibility) : 'private',
    });
  }
  return shown;
}

/** The problems of a refused input, by field. @throws any other error */
function problemsOf(error: unknown): Problems {
  const { code, problems = [] } = (error instanceof GraphQLError ? error.extensions : {}) as {
    code?: string;
    problems?: { path: string[]; message: string }[];
  };
  if (code !== 'BAD_USER_INPUT') throw error;
  const byField = Map.groupBy(problems, ({ path }) => path.at(-1) ?? '');
  return Object.fromEntries([...byField].map(([field, found]) => [field, found.map(one => one.message).join(' ')]));
}

const privacy: SettingsPage = async request => {
  const { context, form, query } = request;
  const { healthViewer: viewer } = await run<{ healthViewer: PrivacyData }>(request, privacyDocument);
  let problems: Problems = {};
  if (form) {
    if (form.action !== 'save') return ambiguous;
    try {
      await run(request, saveDocument, { input: changeOf(form, viewer) });
      return { redirectTo: '/health/privacy?saved=1' };
    } catch (error) {
      problems = problemsOf(error);
    }
  }
  const page = PrivacyPage({
    displayName: form ? (form.displayName ?? '') : viewer.displayName,
    fullName: viewer.fullName,
    age: viewer.age,
    isVisible: form ? form.isVisibleInCommunity === 'on' : viewer.isVisibleInCommunity,
    conditions: form ? shownBy(form) : conditionsOf(viewer),
    provider: modelProvider(context.config),
    sharesMessages: form ? form.areMessagesSharedWithAi === 'on' : viewer.areMessagesSharedWithAi,
    sharesProfile: form ? form.isProfileSharedWithAi === 'on' : viewer.isProfileSharedWithAi,
    texts: purposeTexts,
    consents: viewer.consents,
    problems,
    isSaved: !form && query.saved === '1',
  });
  return { page, status: form ? 422 : 200 };
};

const dataDocument = parse(`{ healthViewer {
  sessions(first: 100) { nodes { id device createdAt lastUsedAt isCurrent } }
  dataAccesses(first: 100) { totalCount nodes { reader subject readOn readCount } } } }`);
const endSessionDocument = parse(`mutation ($input: EndHealthSessionInput!) {
  endHealthSession(input: $input) { deletedId } }`);
const deleteDocument = parse('mutation { deleteHealthAccount(input: {}) { deletedId } }');

interface PersonalData {
  sessions: { nodes: PersonalDataProps['sessions'] };
  dataAccesses: PersonalDataProps['accesses'];
}

const personalData: SettingsPage = async request => {
  const { context, form, query } = request;
  let problem: string | undefined;
  switch (form?.action) {
    case undefined:
      break;
    case 'export-json':
    case 'export-fhir':
      return sendExport(request, form.action);
    case 'end-session':
      return endSession(request, form.session ?? '');
    case 'delete':
      if (form.confirm === 'on') return deleteAccount(request);
      problem = 'Tick the box, if you want to delete the account.';
      break;
    default:
      return ambiguous;
  }
  const { healthViewer: viewer } = await run<{ healthViewer: PersonalData }>(request, dataDocument);
  const page = PersonalDataPage({
    sessions: viewer.sessions.nodes,
    accesses: viewer.dataAccesses,
    eraseAfterDays: context.config.ERASE_AFTER_DAYS,
    problem,
    hasEndedSession: query.ended === '1',
  });
  return { page, status: problem === undefined ? 200 : 422 };
};

/** A download of what the person would get from the API, whose credentials the browser does not have. */
async function sendExport({ context, response }: SettingsRequest, action: string): Promise<'sent'> {
  await context.largeValues.reserveAll();
  const data = await exportAccount(context);
  const isFhir = action === 'export-fhir';
  const text = isFhir ? await fhirBundle(data, context.origin) : JSON.stringify(data, null, 1);
  response
    .attachment(isFhir ? 'health-data.fhir.json' : 'health-data.json')
    .set({ 'Cache-Control': 'no-store', 'Content-Type': isFhir ? fhirMediaType : 'application/json' })
    .send(text);
  return 'sent';
}

async function endSession(request: SettingsRequest, sessionId: string): Promise<PageOutcome> {
  try {
    await run(request, endSessionDocument, { input: { sessionId } });
  } catch (error) {
    const isGone =
      error instanceof GraphQLError && ['NOT_FOUND', 'BAD_USER_INPUT'].includes(String(error.extensions.code));
    if (!isGone) throw error;
  }
  return { redirectTo: '/health/data?ended=1' };
}

async function deleteAccount(request: SettingsRequest): Promise<PageOutcome> {
  await run(request, deleteDocument);
  return notice('Your account is deleted', 'You are logged out everywhere. A mail says when your data is erased.');
}

/** Pages with which a person decides about their data, by path. They work without scripts. */
export const healthSettings = (
  options: HealthSettingsOptions,
): readonly (readonly [path: string, page: RequestHandler])[] => [
  ['/health/privacy', settingsPage(privacy, options)],
  ['/health/data', settingsPage(personalData, options)],
];
