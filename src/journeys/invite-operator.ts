import { sha256Hex } from '@sluice/kernel/digest';
import { id, secret } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { IdentityContext, MailContext } from '../identity/identity-context.ts';
import { type Invitation, invitationDays, type Operator } from '../identity/operators/operator.ts';
import type { SellerContext } from './seller-context.ts';

const dayMs = 86_400_000;

export type InviteContext = Pick<CatalogContext, 'publicUrl'> & {
  readonly catalog: { readonly storefront: { readonly name: string } };
} & Pick<IdentityContext, 'clock'> &
  Pick<MailContext, 'mail'> &
  Pick<SellerContext, 'operators'>;

/**
 * Invites a person to the console and returns their link, which can be used once, within `invitationDays`. The link is mailed when the shop has
 * mail. Inviting a known person again replaces their open link; their role stays.
 */
export async function invite(
  { operators, publicUrl, catalog, clock, mail }: InviteContext,
  invitation: Invitation,
  who: string,
): Promise<{ operator: Operator; isNew: boolean; link: string }> {
  const token = secret('inv');
  const digest = sha256Hex(token);
  const expiresMs = clock() + invitationDays * dayMs;
  const { operator, isNew } = await operators.invite(
    { ...invitation, id: id('opr'), digest, expiresMs },
    who,
  );
  const link = `${publicUrl}/admin/console/invitation/${token}`;
  if (mail !== null)
    await mail.enqueue(
      letter(operator, { shop: catalog.storefront.name, publicUrl, link }),
      `invitation_${digest}`,
    );
  return { operator, isNew, link };
}

function letter(
  { email, name, role }: Operator,
  { shop, publicUrl, link }: { shop: string; publicUrl: string; link: string },
) {
  const shopName = shop.replace(/\s+/g, ' ').trim();
  return {
    to: email,
    subject: `Invitation to the console of ${shopName}`,
    text: `Hello ${name},

you are invited to the console of the shop ${shopName} (${publicUrl}), in which its team manages
payments, accounts and prices. Your role is ${role}.

Open this link to create your passkey. It works once, for ${invitationDays} days:
${link}

If you did not expect this message, ignore it.
`,
  };
}
