import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

interface Asked {
  readonly path: string
  readonly client: string | null
  readonly form: Readonly<Record<string, string>>
}

type Answering = (asked: Asked) => Response | Promise<Response> | undefined

/** A gateway's endpoints for programs that sign people in: RFC 8414, 8628, 6749 and 7009, with rotating refresh tokens. */
export const startFakeServer = (options: { readonly secondsOfToken?: number; readonly isSecure?: boolean } = {}) => {
  const asked: Array<Asked> = []
  let answering: Answering = () => undefined
  let last = 0
  /** Refresh tokens that were replaced: answered again, as within the grace. */
  const replaced = new Map<string, object>()
  let approved = false

  const tokens = () => {
    last++
    const expires_in = options.secondsOfToken ?? 3_600
    return {
      access_token: `access-${last}`,
      token_type: "Bearer",
      expires_in,
      refresh_token: `refresh-${last}`,
      email: "ann@corp.test"
    }
  }
  const error = (error: string, status = 400) => Response.json({ error }, { status })

  const answer = ({ form, path }: Asked): Response => {
    const { origin } = server.url
    switch (path) {
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: origin,
          device_authorization_endpoint: `${origin}/oauth/device_authorization`,
          token_endpoint: `${origin}/oauth/token`,
          revocation_endpoint: `${origin}/oauth/revoke`,
          more: { than: "is known" }
        })
      case "/oauth/device_authorization":
        return Response.json({
          device_code: `device-${form["issues"] ?? "token"}`,
          user_code: "BCDF-GHJK",
          verification_uri: `${origin}/device`,
          verification_uri_complete: `${origin}/device?code=BCDF-GHJK`,
          expires_in: 60,
          interval: 0.1,
          login_notice: "Ask \u001B[31mIT\u001B[0m"
        })
      case "/oauth/token": {
        if (form["grant_type"] === "refresh_token") {
          const sent = form["refresh_token"] ?? ""
          const again = replaced.get(sent)
          if (again !== undefined) return Response.json(again)
          if (sent !== `refresh-${last}`) return error("invalid_grant", 401)
          const made = tokens()
          replaced.set(sent, made)
          return Response.json(made)
        }
        if (!approved) return error("authorization_pending")
        if (form["device_code"] !== "device-key") return Response.json(tokens())
        return Response.json({ access_token: "gw_the_key", token_type: "Bearer", expires_in: 86_400 })
      }
      case "/oauth/revoke":
        return new Response(null)
      default:
        return error("not_found", 404)
    }
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    ...(options.isSecure === true ? { tls: { cert: pem("first.crt"), key: pem("first.key") } } : {}),
    fetch: async (request) => {
      const form = request.method === "POST" ? Object.fromEntries(new URLSearchParams(await request.text())) : {}
      const one = { path: new URL(request.url).pathname, client: request.headers.get("user-agent"), form }
      asked.push(one)
      return (await answering(one)) ?? answer(one)
    }
  })

  return {
    url: server.url.origin,
    asked,
    answer,
    /** Answers in place of the server, where it gives something. */
    answerBy: (by: Answering) => void (answering = by),
    approve: () => void (approved = true),
    /** Makes tokens without a sign-in. */
    tokens,
    stop: () => server.stop(true)
  }
}
export type FakeServer = ReturnType<typeof startFakeServer>

const pem = (name: string) => readFileSync(join(certificates, name), "utf8")
export const certificates = resolve(import.meta.dirname, "../../http/certificates")
