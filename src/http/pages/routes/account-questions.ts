import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Team from '../../../journeys/team.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { onlyOwn } from '../../request-context.ts';
import { sections } from '../account/frame.ts';
import type * as QuestionPage from '../account/question.ts';
import type { BrowserSession } from '../browser-session.ts';
import { may } from '../visitor-rights.ts';

type Context = Pick<IdentityContext, 'keys' | 'team'> & Pick<RegistrationContext, 'oauth'> & TextsContext;

/** The forms that ask before they end something, by their path below `/shop/account/`, with the field that names it. */
export const fields: Readonly<Record<string, string>> = {
  'keys/end': 'key',
  'connections/end': 'connection',
  'top-up/end': '',
  'team/remove': 'member',
  'team/leave': '',
  'team/transfer': 'member',
  'team/tokens': '',
};

/** The path of the question about what the form names. */
export function pathOf(form: string, value: string): string {
  const query = fields[form] === '' ? '' : `?${new URLSearchParams({ id: value })}`;
  return `/shop/account/${form}${query}`;
}

/** Returns the question; null when the account has no such thing. */
export async function questionOf(
  shop: Context,
  { account, member }: Pick<BrowserSession, 'account' | 'member'>,
  form: string,
  id: string,
): Promise<QuestionPage.Question | null> {
  const { texts } = shop;
  if (form.startsWith('team/')) return aboutTeam(shop, { account, member }, form, id);
  const asked = { action: `/shop/account/${form}`, field: { name: fields[form] ?? '', value: id } };
  switch (form) {
    case 'keys/end': {
      const key = (await AccountKeys.list(shop, account, onlyOwn(member))).find((one) => one.id === id);
      if (key === undefined) return null;
      return {
        ...asked,
        title: texts.text('question.key', { name: key.name }),
        effect: texts.text('question.key_effect', { hint: key.hint }),
        confirm: texts.text('question.key_confirm'),
        back: sections.keys,
      };
    }
    case 'connections/end': {
      const found = (await shop.oauth.list(account, onlyOwn(member))).find(({ sid }) => sid === id);
      if (found === undefined) return null;
      return {
        ...asked,
        title: texts.text('question.connection', { application: found.clientName }),
        effect: texts.text('question.connection_effect'),
        confirm: texts.text('connections.disconnect'),
        back: sections.settings,
      };
    }
    default:
      return {
        ...asked,
        field: null,
        title: texts.text('question.top_up'),
        effect: texts.text('question.top_up_effect'),
        confirm: texts.text('top_up.turn_off'),
        back: `${sections.billing}#top-up`,
      };
  }
}

async function aboutTeam(
  { team, texts }: Pick<Context, 'team' | 'texts'>,
  { account, member }: Pick<BrowserSession, 'account' | 'member'>,
  form: string,
  id: string,
): Promise<QuestionPage.Question | null> {
  const asked = { action: `/shop/account/${form}`, back: sections.team };
  if (form === 'team/leave') {
    const left = (await Team.membershipsOf({ team }, member)).find((one) => one.account === account);
    return {
      ...{ ...asked, field: null },
      title:
        left === undefined || left.isOwn
          ? texts.text('question.leave')
          : texts.text('question.leave_of', { email: left.owner }),
      effect: texts.text('question.leave_effect'),
      options: [{ name: 'keys', label: texts.text('question.leave_keys'), isOn: true }],
      confirm: texts.text('question.leave_confirm'),
    };
  }
  if (form === 'team/tokens')
    return {
      ...{ ...asked, field: null },
      title: texts.text('question.tokens'),
      effect: texts.text('question.tokens_effect'),
      confirm: texts.text('team.tokens'),
    };
  const found = (await team.members(account)).find((one) => one.id === id);
  if (found === undefined) return null;
  const { email, role } = found;
  const field = { name: 'member', value: id };
  if (form === 'team/transfer')
    return {
      ...{ ...asked, field },
      title: texts.text('question.transfer', { email }),
      effect: texts.text('question.transfer_effect'),
      confirm: texts.text('team.transfer'),
    };
  return {
    ...{ ...asked, field },
    title: texts.text('question.remove', { email }),
    effect: texts.text('question.remove_effect'),
    options: [
      { name: 'keys', label: texts.text('question.remove_keys'), isOn: true },
      ...(may({ member }, 'change_owners')
        ? [{ name: 'tokens', label: texts.text('question.remove_tokens', { email }), isOn: role === 'owner' }]
        : []),
    ],
    confirm: texts.text('team.remove_label', { email }),
  };
}
