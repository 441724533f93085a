import { Redacted } from "effect"
import { numberAt, parseJson, textAt } from "../contract/json/json.ts"
import { shorten } from "../contract/text/shorten.ts"
import { readNamed } from "./readNamed.ts"
import type { Credentials } from "./Renewed.ts"
import { sendable } from "./sendable.ts"
import type { Source } from "./Source.ts"
import { makeTokenAuth } from "./tokenAuth.ts"

/** Settings of `auth: azure`. What is undefined is found as Azure's own programs find it. */
export interface AzureSettings {
  readonly tenantId: string | undefined
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scope: string
}

/** `auth: azure`: Entra tokens of a client secret, of a workload identity or of the machine's managed identity. */
export const makeAzureAuth = (settings: AzureSettings, source: Source) =>
  makeTokenAuth(
    "Azure",
    source,
    (noting) => tokenOf(settings, noting),
    (token) => Promise.resolve(identityIn(token))
  )

const tokenOf = async (settings: AzureSettings, source: Source): Promise<Credentials<string>> => {
  const { env } = source
  const tenant = settings.tenantId ?? env["AZURE_TENANT_ID"]
  const client = settings.clientId ?? env["AZURE_CLIENT_ID"]
  const secret =
    settings.clientSecret === undefined ? env["AZURE_CLIENT_SECRET"] : Redacted.value(settings.clientSecret)
  if (secret !== undefined) return ofEntra(settings, source, tenant, client, { client_secret: secret })
  const file = env["AZURE_FEDERATED_TOKEN_FILE"]
  if (file !== undefined) {
    return ofEntra(settings, source, tenant, client, {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      // The cluster renews it.
      client_assertion: (await readNamed("AZURE_FEDERATED_TOKEN_FILE", file)).trim()
    })
  }
  return ofMachine(settings, source, client)
}

const ofEntra = async (
  { scope }: AzureSettings,
  { env, fetch, now }: Source,
  tenant: string | undefined,
  client: string | undefined,
  proof: Readonly<Record<string, string>>
): Promise<Credentials<string>> => {
  if (tenant === undefined) throw new Error("tenant_id is missing (or AZURE_TENANT_ID)")
  if (client === undefined) throw new Error("client_id is missing (or AZURE_CLIENT_ID)")
  const host = (env["AZURE_AUTHORITY_HOST"] ?? "https://login.microsoftonline.com").replace(/\/$/, "")
  const answer = await fetch(`${host}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: client, scope, ...proof }).toString()
  })
  return tokenIn(answer, now())
}

/** A token of the metadata server, or of App Service's own. */
const ofMachine = async (
  { scope }: AzureSettings,
  { env, fetchLocally, now }: Source,
  client: string | undefined
): Promise<Credentials<string>> => {
  const resource = scope.replace(/\/\.default$/, "")
  const chosen = { resource, ...(client !== undefined && { client_id: client }) }
  const endpoint = env["IDENTITY_ENDPOINT"]
  const answer =
    endpoint === undefined
      ? await fetchLocally(
          `http://${env["AZURE_POD_IDENTITY_AUTHORITY_HOST"]?.replace(/^http:\/\/|\/$/g, "") ?? "169.254.169.254"}` +
            `/metadata/identity/oauth2/token?${new URLSearchParams({ "api-version": "2018-02-01", ...chosen })}`,
          { headers: { metadata: "true" } }
        )
      : await fetchLocally(`${endpoint}?${new URLSearchParams({ "api-version": "2019-08-01", ...chosen })}`, {
          headers: { "x-identity-header": sendable(env["IDENTITY_HEADER"] ?? "", "IDENTITY_HEADER") }
        })
  return tokenIn(answer, now())
}

const tokenIn = async (answer: Response, nowMs: number): Promise<Credentials<string>> => {
  const json = parseJson(await answer.text())
  const token = textAt(json, "access_token")
  if (answer.status !== 200 || token === undefined) {
    const words = textAt(json, "error_description")?.split(/\r?\n/)[0] ?? textAt(json, "error")
    throw new Error(`the token service answers with status ${answer.status}${words === undefined ? "" : `: ${words}`}`)
  }
  // The metadata server writes numbers as texts.
  const secondsAt = (name: string) => numberAt(json, name) ?? Number(textAt(json, name))
  const lifeMs = secondsAt("expires_in") * 1_000
  if (lifeMs > 0) return { value: token, endsAtMs: nowMs + lifeMs }
  // App Service tells the end alone, by its own clock.
  const theirsMs = Date.parse(answer.headers.get("date") ?? "")
  const leftMs = secondsAt("expires_on") * 1_000 - (Number.isNaN(theirsMs) ? nowMs : theirsMs)
  return { value: token, endsAtMs: leftMs > 0 ? nowMs + leftMs : undefined }
}

/** The client or the identity that a token was made for; Entra's tokens are JWTs. */
const identityIn = (token: string): string => {
  const claims = parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
  const name = textAt(claims, "appid") ?? textAt(claims, "azp") ?? textAt(claims, "oid")
  return name === undefined ? "an Entra identity" : `client ${shorten(name)}`
}
