import { fields } from '../fields.ts';
import type { Customer } from '../models.ts';
import { deny } from '../rules/denied.ts';
import type { CustomerQuery, ShopCall } from '../shop-api.ts';
import { oneCustomer } from '../state/shop-state.ts';
import type { ShopParts } from './shop-tool.ts';

/** The arguments that find a customer. */
export const identityFields = {
  email: { type: 'string', minLength: 1, maxLength: 320 },
  firstName: { type: 'string', minLength: 1, maxLength: 100 },
  lastName: { type: 'string', minLength: 1, maxLength: 100 },
  zip: {
    ...fields.address.zip,
    description: 'With firstName and lastName, instead of the e-mail',
  },
} as const;

interface IdentityArgs {
  email?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  zip?: string | undefined;
}

/**
 * The customer of the conversation: the one that the token's user is, or the one that a guest has named.
 *
 * @throws ShopDenied `IDENTIFY_FIRST`, `ANOTHER_CUSTOMER`.
 */
export async function requireCustomer(parts: ShopParts, call: ShopCall): Promise<Customer> {
  return (await knownCustomer(parts, call)) ?? deny('IDENTIFY_FIRST', identifyFirst);
}

const identifyFirst =
  'ask the customer for their e-mail, or for first name, last name and zip, and call customer_lookup with it';

/**
 * Finds a customer by what the model was told; without that, the customer of the conversation.
 *
 * @throws ShopDenied `NOT_FOUND`, `IDENTIFY_FIRST`, `INCOMPLETE`, `TOO_MANY_TRIES`, `ANOTHER_CUSTOMER`: the same for a customer that there is not.
 */
export async function identify(parts: ShopParts, args: IdentityArgs, call: ShopCall): Promise<Customer> {
  const query = queryOf(args);
  if (query === null) return requireCustomer(parts, call);
  const known = await knownCustomer(parts, call);
  if (known !== null) {
    const found = await parts.api.findCustomer(query, call);
    return found?.id === known.id ? found : deny('ANOTHER_CUSTOMER', oneCustomer);
  }
  const found = await guessed(parts, query, call);
  if (found === null)
    return deny('NOT_FOUND', 'no customer of the shop has this e-mail, or this name and zip');
  parts.state.identify(found.id, call);
  return found;
}

/** Who names a customer may be guessing: wrong tries count. */
async function guessed(
  { api, state: { guesses } }: ShopParts,
  query: CustomerQuery,
  call: ShopCall,
): Promise<Customer | null> {
  guesses.begin(call);
  try {
    const found = await api.findCustomer(query, call);
    if (found !== null) guesses.giveBack(call);
    return found;
  } catch (error) {
    guesses.giveBack(call);
    throw error;
  }
}

function queryOf({ email, firstName, lastName, zip }: IdentityArgs): CustomerQuery | null {
  if (email !== undefined) return { by: 'email', email };
  if (firstName === undefined && lastName === undefined && zip === undefined) return null;
  if (firstName === undefined || lastName === undefined || zip === undefined)
    return deny('INCOMPLETE', 'give firstName, lastName and zip together, or an e-mail');
  return { by: 'name', firstName, lastName, zip };
}

async function knownCustomer(parts: ShopParts, call: ShopCall): Promise<Customer | null> {
  const ofToken = await customerOfToken(parts, call);
  const ofSession = parts.state.customerOf(call);
  if (ofToken === null)
    return ofSession === null ? null : parts.api.findCustomer({ by: 'id', customerId: ofSession }, call);
  parts.state.identify(ofToken.id, call);
  return ofToken;
}

/** By the claim `customerId` of the token, or by the id of its user. */
async function customerOfToken({ api }: ShopParts, call: ShopCall): Promise<Customer | null> {
  const { claims, userId } = call.principal;
  if (claims.customerId !== undefined) {
    const customerId = claims.customerId;
    const found =
      typeof customerId === 'string' ? await api.findCustomer({ by: 'id', customerId }, call) : null;
    return (
      found ?? deny('NO_SUCH_CUSTOMER', 'the login of the user names a customer that the shop does not have')
    );
  }
  return userId === null ? null : api.findCustomer({ by: 'id', customerId: userId }, call);
}
