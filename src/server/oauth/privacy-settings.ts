import { GraphQLError, parse } from 'graphql';
import { isoInstant } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../../health/accounts/require-person.ts';
import { consentsBefore, modelProvider } from '../../health/consents/consents.ts';
import { purposeTexts } from '../../health/consents/purposes.ts';
import {
  PrivacyPage,
  type PrivacyProps,
  type ShownCondition,
  type Visibility,
  visibilities,
} from '../../pages/health/privacy.tsx';
import type { Problems } from '../../pages/health/settings-form.tsx';
import { ambiguous } from './form-page.ts';
import { run, type SettingsPage } from './settings-request.ts';
import type { Parameters } from './token-endpoint.ts';

const privacyDocument =
  parse(`{ healthViewer { displayName fullName age isVisibleInCommunity conditions symptoms hasHypertension
  hasDiabetes conditionsForPeers conditionsForSuggestions areMessagesSharedWithAi isProfileSharedWithAi } }`);
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

/** Decisions on one page. */
const pageSize = 50;

/** The decisions after the one with the number `after`, the latest first. */
async function decisionsPage({ actor, read }: Context, after: string | undefined): Promise<PrivacyProps['decisions']> {
  const { userId } = requirePerson(actor);
  const before = after === undefined ? null : Number(after);
  const found = await consentsBefore(read, userId, { before, limit: pageSize + 1 });
  const shown = found.slice(0, pageSize);
  const consents = shown.map(({ purpose, givenAt, withdrawnAt, ...one }) => ({
    ...one,
    purpose: purpose.replaceAll('_', ' '),
    givenAt: givenAt && isoInstant(givenAt),
    withdrawnAt: withdrawnAt && isoInstant(withdrawnAt),
  }));
  return { consents, pageInfo: { hasNextPage: found.length > pageSize, endCursor: String(shown.at(-1)?.number) } };
}

/** What a person shows to others and shares with a model. */
export const privacy: SettingsPage = async request => {
  const { context, form, query } = request;
  const { after } = query;
  if (after !== undefined && !/^\d{1,15}$/.test(after)) return ambiguous;
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
    decisions: await decisionsPage(context, after),
    problems,
    isSaved: !form && query.saved === '1',
  });
  return { page, status: form ? 422 : 200 };
};
