import { identityOf } from "./Claims.ts"
import type { Identity } from "./Claims.ts"
import type { Client, Library, Provider } from "./Providers.ts"
import { userInfo } from "./SignIns.ts"
import type { Person } from "./store/People.ts"

/** A provider's answer when a person's refresh token is used. */
export interface Refreshed {
  readonly identity: Identity
  /** The same one where the provider does not replace it. */
  readonly refreshToken: string
  readonly idToken: string | undefined
}

/** Uses a person's refresh token. Providers leave out what they told at the sign-in: it stays as it was. */
export const refreshTokens = async (
  configuration: Client,
  client: Library,
  provider: Provider,
  person: Person,
  refreshToken: string
): Promise<Refreshed> => {
  const tokens = await client.refreshTokenGrant(configuration, refreshToken)
  const token = tokens.claims() ?? { sub: person.subject }
  if (token.sub !== person.subject) throw new Error("it answers with another person's ID token")
  const claim = provider.groups_claim ?? "groups"
  const told = await userInfo(configuration, client, tokens.access_token, token, claim)
  const isTold = tokens.id_token !== undefined || told.length > 0
  const identity = isTold
    ? identityOf(person.issuer, person.subject, [token, ...told], claim)
    : { ...person, isCut: false }
  return { identity, refreshToken: tokens.refresh_token ?? refreshToken, idToken: tokens.id_token }
}
