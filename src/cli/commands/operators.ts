import { systemClock as clock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import { openOperators } from '../../adapters/postgres/operators.ts';
import { openOutbox } from '../../adapters/postgres/outbox.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Operator from '../../identity/operators/operator.ts';
import { parseRole } from '../../identity/operators/role.ts';
import * as InviteOperator from '../../journeys/invite-operator.ts';
import * as BackOffice from '../back-office.ts';
import { tell } from '../command.ts';
import * as Compose from '../compose.ts';

export const help = `Manages the persons who may use the seller's console at /admin.

  sluice operators invite <email> [--role owner] [--name "Ada Lovelace"] [--mail]
  sluice operators list [--json]
  sluice operators role <email> <role>
  sluice operators remove <email>

  --role    owner, finance, support or viewer (default: viewer). The first person must be an owner
  --mail    mails the link as well; the shop needs a mail server

\`invite\` prints a link that works once, for ${Operator.invitationDays} days. Its reader creates a passkey and is signed in.
A person who has lost their passkeys gets a new link in the same way.

Exit code: 0 done, 1 not done, 2 the arguments are wrong.`;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = CommandLine.read(args, {
    ...{ role: text, name: text },
    mail: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const [given, email = '', newRole = '', ...rest] = positionals;
  const verb = CommandLine.choose(given, ['invite', 'list', 'role', 'remove']);
  CommandLine.noMore(rest);
  const asJson = values.json === true;
  const office = await BackOffice.openBackOffice(process.env);
  try {
    const operators = openOperators(office.sql, Boolean(process.env.OIDC_ISSUER));
    if (verb === 'list') return list(await operators.list(), asJson);
    if (verb === 'invite') {
      const role = values.role ?? 'viewer';
      const read = Operator.parseInvitation({ email, name: values.name ?? '', role });
      if (read.kind === 'fault') throw new CommandLine.Misuse(Object.values(read.faults).join('\n'));
      const { catalog, publicUrl } = await shopOf();
      const mail = values.mail ? openOutbox(office.sql) : null;
      const context = { operators, catalog, publicUrl, clock, mail };
      const { operator, isNew, link } = await InviteOperator.invite(context, read.invitation, BackOffice.who);
      if (asJson) return tell(JSON.stringify({ ...operator, new: isNew, link }), 0);
      const whose = isNew
        ? `${operator.email} is invited as ${operator.role}`
        : `${operator.email} is known (${operator.role}); the link adds a passkey`;
      return tell(`${whose}. The link works once, for ${Operator.invitationDays} days:\n\n  ${link}`, 0);
    }
    const person = (await operators.list()).find((one) => one.email === email.trim().toLowerCase());
    if (person === undefined) return tell(`There is no person with the address ${email}.`, 1);
    if (verb === 'remove') return changed(await operators.remove(person.id, BackOffice.who), asJson);
    const role = parseRole(newRole);
    if (role === null) throw new CommandLine.Misuse('The role is one of owner, finance, support, viewer.');
    return changed(await operators.changeRole(person.id, role, BackOffice.who), asJson);
  } finally {
    await office.close();
  }
}

async function shopOf() {
  const catalog = await CatalogFile.load(catalogPath(process.env));
  return { catalog, publicUrl: Compose.read(process.env).publicUrl };
}

function list(people: readonly Operator.ListedOperator[], asJson: boolean): number {
  if (asJson) return tell(JSON.stringify(people, null, 2), 0);
  if (people.length === 0)
    return tell('There is no operator yet. Invite yourself: sluice operators invite <email> --role owner', 0);
  for (const { email, name, role, passkeys, hasOidc } of people)
    console.log(`${email}  ${role}  ${name}  ${passkeys} passkeys${hasOidc ? ', single sign-on' : ''}`);
  return 0;
}

function changed(outcome: Operator.ChangeResult, asJson: boolean): number {
  const code = outcome === 'done' ? 0 : 1;
  if (asJson) return tell(JSON.stringify({ done: code === 0, outcome }), 0) + code;
  switch (outcome) {
    case 'done':
      return tell('Done.', 0);
    case 'unknown':
      return tell('This person no longer exists.', 1);
    case 'last_owner':
      return tell('Nothing was changed: this is the last person who can sign in as an owner.', 1);
  }
}
