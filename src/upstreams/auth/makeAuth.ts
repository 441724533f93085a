import { Effect, Redacted } from "effect"
import { authFields } from "../../config/sections/Auth.ts"
import type { AuthSetting } from "../../config/sections/Auth.ts"
import type { Auth } from "../../credentials/Auth.ts"
import { sourceBy } from "./sourceBy.ts"

/** The settings of an upstream that say who calls. */
export interface AuthOptions {
  readonly auth: AuthSetting | undefined
  readonly region: string | undefined
  readonly baseUrl: string
  /** For calls of token services; metadata servers are local, and are called directly. */
  readonly proxy: string | undefined
}

/** The scope of Azure's models, and the one that Google's programs ask for. */
const azureScope = "https://cognitiveservices.azure.com/.default"
const googleScopes = ["https://www.googleapis.com/auth/cloud-platform"]

/** The credentials of an upstream; undefined if it has a key. Each kind is loaded only where it is configured. */
export const makeAuth = Effect.fnUntraced(function* (options: AuthOptions): Effect.fn.Return<Auth | undefined> {
  const { auth = "key", baseUrl, proxy, region } = options
  const source = yield* sourceBy(() => proxy)
  const given = authFields(auth)
  switch (given.kind) {
    case "key":
      return undefined
    case "aws": {
      const { access_key_id: id, profile, role_arn: roleArn, secret_access_key: secret, session_token: token } = given
      const fixed = id &&
        secret && {
          accessKeyId: Redacted.value(id),
          secretAccessKey: Redacted.value(secret),
          ...(token && { sessionToken: Redacted.value(token) })
        }
      const { makeAwsAuth } = yield* Effect.promise(() => import("../../credentials/awsAuth.ts"))
      return yield* makeAwsAuth({ region, profile, roleArn, fixed }, baseUrl, source)
    }
    case "google": {
      const { makeGoogleAuth } = yield* Effect.promise(() => import("../../credentials/googleAuth.ts"))
      return yield* makeGoogleAuth(
        { credentials: given.credentials_file, scopes: given.scopes ?? googleScopes },
        source
      )
    }
    case "azure": {
      const { client_id: clientId, client_secret: clientSecret, scope = azureScope, tenant_id: tenantId } = given
      const { makeAzureAuth } = yield* Effect.promise(() => import("../../credentials/azureAuth.ts"))
      return yield* makeAzureAuth({ tenantId, clientId, clientSecret, scope }, source)
    }
  }
})
