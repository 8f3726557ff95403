import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Email from '../../identity/email.ts';
import { parseRole, roles } from '../../identity/team/role.ts';
import type { AccountEvent, ChangeResult, Removal } from '../../identity/team/team.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Team from '../../journeys/team.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply, tooManyRequests } from '../reply.ts';
import {
  address,
  type Call,
  type Env,
  owned,
  readJson,
  requestId,
  unprocessable,
} from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };
const eventsPage = 50;
const iso = (ms: number) => new Date(ms).toISOString();
const path = '/account/team';

type Context = CallerContext & Team.TeamContext & Pick<CatalogContext, 'catalog'> & TextsContext;

/** The persons of an account, for the person in a session of their own (docs/teams.md). */
export function teamRoutes(shop: Context, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  /** The table of rights admits only persons to these routes. */
  const asPerson = (c: Call, answer: (person: Team.Person) => Promise<Reply>) =>
    owned(shop, c, async (account, { member }) =>
      member === null ? refusal(c, 'forbidden') : answer({ account, member }),
    );
  const from = (c: Call) => address(c, clientAddressHeader);

  app.get(path, (c) => asPerson(c, (person) => team(shop, person)));
  app.get(`${path}/events`, (c) => asPerson(c, ({ account }) => events(shop, c, account)));

  app.post(`${path}/invitations`, (c) =>
    asPerson(c, async (person) => {
      const read = await readInvitation(c);
      return 'draft' in read ? inviteReply(c, await Team.invite(shop, person, read.draft, from(c))) : read;
    }),
  );
  app.post(`${path}/invitations/:id/resend`, (c) =>
    asPerson(c, async (person) =>
      inviteReply(c, await Team.resend(shop, person, c.req.param('id'), from(c))),
    ),
  );
  app.delete(`${path}/invitations/:id`, (c) =>
    asPerson(c, async ({ account, member }) =>
      changeReply(c, await shop.team.withdraw(account, c.req.param('id'), member.id)),
    ),
  );
  app.patch(`${path}/members/:id`, (c) =>
    asPerson(c, async (person) => {
      const role = parseRole(await memberOf(c, 'role'));
      if (role === null)
        return unprocessable(c, [{ field: 'role', message: `Must be one of ${roles.join(', ')}` }]);
      return changeReply(c, await Team.setRole(shop, person, c.req.param('id'), role));
    }),
  );
  app.delete(`${path}/members/:id`, (c) =>
    asPerson(c, async (person) => {
      const id = c.req.param('id') === 'me' ? person.member.id : c.req.param('id');
      return changeReply(c, await Team.remove(shop, person, id, await removalOf(shop, c, id)));
    }),
  );
  app.post(`${path}/transfer`, (c) =>
    asPerson(c, async (person) => {
      const member = await memberOf(c, 'member');
      if (typeof member !== 'string')
        return unprocessable(c, [{ field: 'member', message: 'Must be the id of a person' }]);
      return changeReply(c, await Team.transfer(shop, person, member));
    }),
  );
  app.post(`${path}/tokens/end`, (c) =>
    asPerson(c, async (person) => changeReply(c, await Team.endAccountTokens(shop, person))),
  );
  return app;
}

async function team({ team }: Pick<Context, 'team'>, { account, member }: Team.Person): Promise<Reply> {
  const [members, invitations] = await Promise.all([team.members(account), team.invitations(account)]);
  return json(
    200,
    {
      success: true,
      members: members.map(({ id, email, role, joinedMs, usedMs }) => ({
        ...{ id, email, role, is_you: id === member.id },
        joined_at: iso(joinedMs),
        used_at: iso(usedMs),
      })),
      invitations: invitations.map(({ id, email, role, state, inviter, sentMs, expiresMs }) => ({
        ...{ id, email, role, state, invited_by: inviter },
        sent_at: iso(sentMs),
        expires_at: iso(expiresMs),
      })),
    },
    noStore,
  );
}

async function events({ team }: Pick<Context, 'team'>, c: Call, account: string): Promise<Reply> {
  const cursor = c.req.query('cursor') ?? null;
  if (cursor !== null && !/^\d{1,15}$/.test(cursor))
    return unprocessable(c, [{ field: 'cursor', message: 'Must be the `cursor` of the previous page' }]);
  const found = await team.events(account, cursor === null ? null : Number(cursor), eventsPage + 1);
  const page = found.slice(0, eventsPage);
  const next = found.length > eventsPage ? String(page.at(-1)?.id) : null;
  return json(200, { success: true, events: page.map(asEvent), cursor: next }, noStore);
}

function asEvent({ atMs, who, act, subject, detail }: AccountEvent) {
  return { at: iso(atMs), who, act, subject, detail };
}

async function readInvitation(c: Call) {
  const body = await readJson(c);
  if (!('value' in body)) return body;
  const sent = (body.value ?? {}) as { email?: unknown; role?: unknown };
  const email = typeof sent.email === 'string' ? Email.parse(sent.email) : null;
  const role = parseRole(sent.role);
  if (email !== null && role !== null) return { draft: { email, role } };
  return unprocessable(c, [
    ...(email === null ? [{ field: 'email', message: c.get('texts').text('fault.email') }] : []),
    ...(role === null ? [{ field: 'role', message: `Must be one of ${roles.join(', ')}` }] : []),
  ]);
}

/** Returns a member of the JSON body; undefined when there is no such body. */
async function memberOf(c: Call, name: string): Promise<unknown> {
  const body = await readJson(c);
  return 'value' in body && typeof body.value === 'object' && body.value !== null
    ? (body.value as Record<string, unknown>)[name]
    : undefined;
}

/** Reads what ends together with a person: by default their keys, and with an owner the tokens that belong to no person. */
async function removalOf({ team }: Pick<Context, 'team'>, c: Call, id: string): Promise<Removal> {
  const [keys, tokens] = [c.req.query('revoke_keys'), c.req.query('end_account_tokens')];
  return {
    revokesKeys: keys !== 'false',
    endsAccountTokens: tokens === undefined ? (await team.find(id))?.role === 'owner' : tokens === 'true',
  };
}

function inviteReply(c: Call, invited: Team.Invited | { kind: 'unknown' }): Reply {
  const texts = c.get('texts');
  const id = requestId(c);
  switch (invited.kind) {
    case 'invited':
      return json(202, { success: true, invitation: invited.id }, noStore);
    case 'no_mail':
      return error(501, 'mail_unavailable', texts.text('result.no_mail'), id);
    case 'limited':
      return tooManyRequests('too_many_invitations', texts.text('api.too_many_invitations'), invited, id);
    case 'member':
      return error(409, 'already_member', texts.text('result.invite_member'), id);
    case 'declined':
      return error(409, 'invitation_declined', texts.text('result.invite_declined'), id);
    case 'full':
      return error(409, 'team_full', texts.text('result.invite_full'), id);
    case 'unknown':
    case 'forbidden':
      return refusal(c, invited.kind);
  }
}

function changeReply(c: Call, changed: ChangeResult): Reply {
  if (changed.kind === 'done') return json(200, { success: true }, noStore);
  return refusal(c, changed.kind);
}

function refusal(c: Call, kind: Exclude<ChangeResult['kind'], 'done'>): Reply {
  const texts = c.get('texts');
  const id = requestId(c);
  switch (kind) {
    case 'unknown':
      return error(404, 'not_found', texts.text('result.team_unknown'), id);
    case 'last_owner':
      return error(409, 'last_owner', texts.text('result.last_owner'), id);
    case 'forbidden':
      return error(403, 'role_not_allowed', texts.text('result.team_forbidden'), id);
  }
}
