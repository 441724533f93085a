import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { isObject, numberAt, parseJson, textAt } from "../contract/json/json.ts"
import { shorten } from "../contract/text/shorten.ts"
import { clockOf } from "./clockOf.ts"
import type { Credentials } from "./Renewed.ts"
import { readNamed } from "./readNamed.ts"
import type { Source } from "./Source.ts"
import { makeTokenAuth } from "./tokenAuth.ts"

/** Settings of `auth: google`. */
export interface GoogleSettings {
  /** A service account, an authorized user or a workload identity in Google's JSON form. */
  readonly credentials: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<string>
}

/** `auth: google`: tokens of a credentials file, or of the machine's metadata server. */
export const makeGoogleAuth = Effect.fnUntraced(function* (settings: GoogleSettings, source: Source) {
  const clock = clockOf(source.now)
  const ask = async (noting: Source) => {
    const json = await credentialsJson(settings, source.env)
    return json === undefined ? ofMachine(noting) : ofFile(json, settings, noting, clock)
  }
  return yield* makeTokenAuth("Google", source, ask, async () => {
    const json = await credentialsJson(settings, source.env)
    if (json === undefined) return shorten((await metadata(source, "email")).trim())
    return textAt(json, "client_email") ?? textAt(json, "type") ?? "a Google account"
  })
})

/** The file that Google's own programs would read. */
const credentialsJson = async ({ credentials }: GoogleSettings, env: NodeJS.ProcessEnv) => {
  if (credentials !== undefined) return jsonOf(Redacted.value(credentials), "credentials_file")
  const named = env["GOOGLE_APPLICATION_CREDENTIALS"]
  if (named !== undefined && named !== "") {
    return jsonOf(await readNamed("GOOGLE_APPLICATION_CREDENTIALS", named), "GOOGLE_APPLICATION_CREDENTIALS")
  }
  const usual = join(homedir(), ".config/gcloud/application_default_credentials.json")
  const text = await readNamed("application default", usual).catch(() => undefined)
  return text === undefined ? undefined : jsonOf(text, usual)
}

const jsonOf = (text: string, name: string) => {
  const json = parseJson(text)
  if (isObject(json)) return json
  throw new Error(`${name} holds no JSON object`)
}

const usualTokenUri = "https://oauth2.googleapis.com/token"

/** A token by Google's own library, which is loaded only if an upstream needs it. */
const ofFile = async (
  json: Readonly<Record<string, unknown>>,
  { scopes }: GoogleSettings,
  source: Source,
  clock: ReturnType<typeof clockOf>
): Promise<Credentials<string>> => {
  const { GoogleAuth, JWT } = await import("google-auth-library")
  // The library would wait for a file that is none.
  const token = textAt(json["credential_source"], "file")
  if (token !== undefined) await readNamed("credential_source.file", token)
  let refusal: Headers | undefined
  const transporterOptions = {
    retry: false,
    fetchImplementation: async (url: string | URL | Request, init?: RequestInit) => {
      const asked = url instanceof Request ? url.url : String(url)
      // The library ignores the file's own address.
      const answer = await source.fetch(
        asked === usualTokenUri ? (textAt(json, "token_uri") ?? asked) : asked,
        init ?? {}
      )
      if (answer.status === 400) refusal = answer.headers
      return answer
    }
  }
  const usedOffsetMs = clock.offsetMs()
  const tokenOf = async () => {
    const begunMs = { ours: source.now(), theirs: Date.now() }
    const client = new GoogleAuth({ scopes: [...scopes] }).fromJSON(json, { transporterOptions })
    if (client instanceof JWT) {
      const seconds = Math.floor(clock.now() / 1_000)
      client.additionalClaims = { iat: seconds, exp: seconds + 3_600 }
    }
    const { token } = await client.getAccessToken()
    if (typeof token !== "string") throw new Error("the token service gave no token")
    const { expiry_date: end } = client.credentials
    return { value: token, endsAtMs: typeof end === "number" ? begunMs.ours + end - begunMs.theirs : undefined }
  }
  return tokenOf().catch((cause: unknown) => {
    if (refusal !== undefined && clock.corrects(refusal, usedOffsetMs)) return tokenOf()
    throw cause
  })
}

const ofMachine = async (source: Source): Promise<Credentials<string>> => {
  const answer = parseJson(await metadata(source, "token"))
  const token = textAt(answer, "access_token")
  if (token === undefined) throw new Error("the metadata server gave no token")
  const seconds = numberAt(answer, "expires_in")
  return { value: token, endsAtMs: seconds === undefined ? undefined : source.now() + seconds * 1_000 }
}

/** Asks the machine's metadata server about its service account. */
const metadata = async ({ env, fetchLocally }: Source, what: "token" | "email"): Promise<string> => {
  const host = env["GCE_METADATA_HOST"] ?? "169.254.169.254"
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/${what}`
  const answer = await fetchLocally(url, { headers: { "metadata-flavor": "Google" } })
  if (answer.status !== 200) throw new Error(`the metadata server answers with status ${answer.status}`)
  return answer.text()
}
