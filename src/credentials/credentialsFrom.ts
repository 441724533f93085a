import { Effect } from "effect"
import { isObject, numberAt, objectAt, parseJson } from "../contract/json/json.ts"
import { isSecret, withoutSecrets } from "../contract/callers/withoutSecrets.ts"
import { NoCredentials } from "./Auth.ts"
import type { Credentials } from "./Renewed.ts"
import type { Source } from "./Source.ts"

/** The longest message of a failure, in UTF-16 units: services say what they like. */
const longest = 500

/** Asks for credentials. The message of a failure is short, and the secrets that were sent are removed from it. */
export const credentialsFrom = <A>(
  cloud: "AWS" | "Google" | "Azure",
  source: Source,
  ask: (source: Source) => Promise<Credentials<A>>
): Effect.Effect<Credentials<A>, NoCredentials> =>
  Effect.suspend(() => {
    const sent = new Set<string>()
    const noting =
      (fetch: Source["fetch"]): Source["fetch"] =>
      (url, init) => {
        for (const secret of secretsIn(init)) sent.add(secret)
        return fetch(url, init)
      }
    return Effect.tryPromise({
      try: () => ask({ ...source, fetch: noting(source.fetch), fetchLocally: noting(source.fetchLocally) }),
      catch: (cause) => {
        const longerFirst = [...sent].sort((one, other) => other.length - one.length)
        return new NoCredentials({
          message: `no ${cloud} credentials: ${withoutSecrets(wordsOf(cause), longerFirst).slice(0, longest)}`,
          isOutage: statusOf(cause) >= 500 || (cause instanceof NoCredentials && cause.isOutage === true)
        })
      }
    })
  })

const wordsOf = (cause: unknown): string => {
  // AWS's library hides answers that it cannot read, such as those of a load balancer.
  if (statusOf(cause) >= 500) return `their service answers with status ${statusOf(cause)}`
  // A parser's message repeats a piece of what it read, which may be a piece of a token.
  if (cause instanceof SyntaxError) return "their service's answer can't be read"
  return cause instanceof Error ? cause.message : String(cause)
}

/** The status of an answer that AWS's library refused; 0 if there was none. */
const statusOf = (cause: unknown): number => numberAt(objectAt(cause, "$response"), "statusCode") ?? 0

const isSecretName = /(?:secret|assertion|token|authorization|identity-header)$/i

/** The secrets of a request, as they are and as a form writes them. */
const secretsIn = ({ body, headers }: RequestInit): ReadonlyArray<string> =>
  [...new Headers(headers), ...fieldsOf(body)].flatMap(([name, value]) => {
    if (!isSecretName.test(name) || !isSecret(value)) return []
    const secret = value.replace(/^(?:Bearer|Basic) /i, "")
    return [secret, new URLSearchParams({ "": secret }).toString().slice(1), encodeURIComponent(secret)]
  })

/** The fields of a form, or the texts of a JSON object. */
const fieldsOf = (body: RequestInit["body"]): ReadonlyArray<readonly [string, string]> => {
  const text = textOf(body)
  const json = parseJson(text)
  return isObject(json)
    ? Object.entries(json).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))
    : [...new URLSearchParams(text)]
}

/** Token services get texts alone. */
const textOf = (body: RequestInit["body"]): string => {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  return typeof body === "string" || body instanceof URLSearchParams ? body.toString() : ""
}
