import { Effect, Schema } from "effect"
import { isObject, numberAt, textAt } from "../../contract/json/json.ts"
import { isHeaderValue } from "../../contract/text/headerValue.ts"
import type { Ask } from "./ask.ts"
import { ConnectFailed } from "./ConnectFailed.ts"

/** The gateway as a sign-in knows it. */
export const ToolClient = Schema.Struct({
  id: Schema.String,
  secret: Schema.optionalWith(Schema.String, { exact: true }),
  method: Schema.Literal("none", "client_secret_basic", "client_secret_post")
})
export type ToolClient = typeof ToolClient.Type

/** The tokens of an answer. */
export interface GivenTokens {
  readonly access: string
  readonly refresh: string | undefined
  readonly expiresInSeconds: number | undefined
  readonly scope: string | undefined
}

/** The header or the fields by which a client shows who it is. */
const shownBy = ({ id, method, secret = "" }: ToolClient) =>
  method === "client_secret_basic"
    ? {
        headers: { authorization: `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}` },
        form: {}
      }
    : { headers: {}, form: method === "none" ? { client_id: id } : { client_id: id, client_secret: secret } }

/** As in a form (RFC 6749, section 2.3.1). */
const encoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** Asks for tokens. */
export const requestTokens = (
  ask: Ask,
  endpoint: string,
  client: ToolClient,
  form: Readonly<Record<string, string>>
): Effect.Effect<GivenTokens, ConnectFailed> => {
  const shown = shownBy(client)
  return Effect.flatMap(
    ask({
      method: "POST",
      url: endpoint,
      headers: { "content-type": "application/x-www-form-urlencoded", ...shown.headers },
      body: new URLSearchParams({ ...form, ...shown.form }).toString()
    }),
    ({ body, status }) => {
      const access = textAt(body, "access_token")
      if (status !== 200 || access === undefined) {
        const code = isObject(body) ? textAt(body, "error") : undefined
        const isRefused = code !== undefined && status >= 400 && status < 500 && status !== 429
        return new ConnectFailed({
          message: isRefused ? `its sign-in refuses: ${plain(code)}` : `its sign-in answers ${status}`,
          ...(isRefused && { code })
        })
      }
      if (textAt(body, "token_type")?.toLowerCase() !== "bearer") {
        return new ConnectFailed({ message: "its sign-in gives tokens of another type than Bearer" })
      }
      if (access.length > longestToken || !isHeaderValue(access)) {
        return new ConnectFailed({ message: "its sign-in gives a token that no header carries" })
      }
      return Effect.succeed({
        access,
        refresh: textAt(body, "refresh_token"),
        expiresInSeconds: numberAt(body, "expires_in"),
        scope: textAt(body, "scope")
      })
    }
  )
}

const longestToken = 16_384

const plain = (code: string): string => code.replace(/[^a-z_]/gi, "").slice(0, 60)
