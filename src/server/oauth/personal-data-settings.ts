import { GraphQLError, parse } from 'graphql';
import { formatBodyInTurns } from 'operation-rest';
import { exportAccount } from '../../health/accounts/export-account.ts';
import { fhirBundle, fhirMediaType } from '../../health/fhir/fhir-bundle.ts';
import { PersonalDataPage, type PersonalDataProps } from '../../pages/health/personal-data.tsx';
import { ambiguous, notice, type PageOutcome } from './form-page.ts';
import { run, type SettingsPage, type SettingsRequest } from './settings-request.ts';

const dataDocument = parse(`query ($sessions: String, $reads: String) { healthViewer {
  sessions(first: 50, after: $sessions) {
    pageInfo { hasNextPage endCursor } nodes { id device createdAt lastUsedAt isCurrent } }
  dataAccesses(first: 50, after: $reads) {
    pageInfo { hasNextPage endCursor } nodes { reader subject readOn readCount } } } }`);
const endSessionDocument = parse(`mutation ($input: EndHealthSessionInput!) {
  endHealthSession(input: $input) { deletedId } }`);
const deleteDocument = parse('mutation { deleteHealthAccount(input: {}) { deletedId } }');

const codeOf = (error: unknown): string => (error instanceof GraphQLError ? String(error.extensions.code) : '');

interface PersonalData {
  sessions: PersonalDataProps['sessions'];
  dataAccesses: PersonalDataProps['accesses'];
}

/** Sessions, who has read the data, export and deletion. */
export const personalData: SettingsPage = async request => {
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
  let viewer: PersonalData;
  try {
    const { sessions, reads } = query;
    ({ healthViewer: viewer } = await run<{ healthViewer: PersonalData }>(request, dataDocument, { sessions, reads }));
  } catch (error) {
    if (codeOf(error) === 'BAD_USER_INPUT') return ambiguous;
    throw error;
  }
  const page = PersonalDataPage({
    sessions: viewer.sessions,
    accesses: viewer.dataAccesses,
    isFirstPage: query.reads === undefined,
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
  const text = isFhir ? await fhirBundle(data, context.origin) : await formatBodyInTurns(data);
  response
    .attachment(isFhir ? 'health-data.fhir.json' : 'health-data.json')
    .set({ 'Cache-Control': 'no-store', 'Content-Type': isFhir ? fhirMediaType : 'application/json; charset=utf-8' })
    .send(text);
  return 'sent';
}

async function endSession(request: SettingsRequest, sessionId: string): Promise<PageOutcome> {
  try {
    await run(request, endSessionDocument, { input: { sessionId } });
  } catch (error) {
    if (!['NOT_FOUND', 'BAD_USER_INPUT'].includes(codeOf(error))) throw error;
  }
  return { redirectTo: '/health/data?ended=1' };
}

async function deleteAccount(request: SettingsRequest): Promise<PageOutcome> {
  await run(request, deleteDocument);
  return notice('Your account is deleted', 'You are logged out everywhere. A mail says when your data is erased.');
}
