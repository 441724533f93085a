import { Database } from "bun:sqlite"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { startGateway } from "../../e2e/process.ts"
import { startProvider } from "../../people/startProvider.ts"
import { Visitor } from "../../people/visitor.ts"
import { settled } from "./expected.ts"
import { startRecorder } from "./recorder.ts"
import type { SignInServer } from "./server.ts"
import { models } from "./server.ts"

interface Served {
  readonly models: ReadonlyArray<string>
  /** Lines of `sign_in`. */
  readonly settings: string
}

/** The models that the client asks for by itself, and settings of the operator's. */
const usual: Served = {
  models: [...models, "claude-sonnet-4-6"],
  settings: '  managed_settings: { permissions: { deny: ["WebFetch"] } }'
}
/** No model that the client knows, and nothing that tells it of others. */
export const unconfigured: Served = { models: ["house-large", "house-small"], settings: "" }

/** @param upstream the address of the fake Anthropic */
export const startOurs = async (upstream: string, served = usual): Promise<SignInServer> => {
  const provider = await startProvider()
  const port = Number(provider.env["GATEWAY_PORT"])
  const url = `http://127.0.0.1:${port}`
  const routes = served.models.map((id) => ({
    [id]: { routes: [{ upstream: "anthropic", model: id }], price: { input: 5, output: 25 } }
  }))
  appendFileSync(
    join(provider.folder, "gateway.yaml"),
    `${served.settings}
upstreams: { anthropic: { protocol: anthropic-messages, base_url: "${upstream}", api_key: unused } }
models: ${JSON.stringify(Object.assign({}, ...routes))}
`
  )
  const gateway = await startGateway({ folder: provider.folder, env: { GATEWAY_PORT: "0", GATEWAY_PUBLIC_URL: url } })
  const recorder = startRecorder(port, gateway.url)

  const decide = async (code: string, person: string, decision: object) => {
    await fetch(`${provider.issuer}/-/group?name=${person}&group=platform`)
    const visitor = new Visitor()
    await visitor.signIn(url, person)
    const answer = await visitor.send(`${url}/console/devices/decide`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(url)).csrf },
      body: JSON.stringify({ code, ...decision })
    })
    if (answer.status !== 200) throw new Error(`not decided: ${answer.status} ${await answer.text()}`)
  }
  const run = (statement: string) => {
    const file = new Database(join(provider.folder, "data", "gateway.db"))
    file.run("PRAGMA busy_timeout = 5000")
    const rows = file.query<Record<string, unknown>, []>(statement).all()
    file.close()
    return rows
  }
  return {
    name: "ours",
    url,
    exchanges: recorder.exchanges,
    approve: (code, person) => decide(code, person, { approve: true, account: "default" }),
    deny: (code, person) => decide(code, person, { approve: false }),
    budget: async (person, usd) => {
      const [key] = run(
        `SELECT k.id FROM keys k JOIN people p ON p.id = k.person_id WHERE p.subject = '${person}' AND k.revoked_at IS NULL`
      )
      const visitor = new Visitor()
      await visitor.signIn(url, "ann")
      const answer = await visitor.send(`${url}/admin/v1/keys/${String(key?.["id"])}`, {
        method: "PATCH",
        headers: { "x-gateway-csrf": (await visitor.session(url)).csrf },
        body: JSON.stringify({ budgets: [{ usd, per: "month" }] })
      })
      if (answer.status !== 200) throw new Error(`no budget: ${answer.status} ${await answer.text()}`)
    },
    spend: async (usd) => void run(`UPDATE budget_counters SET used = ${usd * 1e9} RETURNING 1`),
    putOut: async (_, token) => {
      const body = new URLSearchParams({ token, token_type_hint: "refresh_token" })
      await fetch(`${url}/oauth/revoke`, { method: "POST", body })
    },
    provider: async (is) => {
      run(`UPDATE provider_tokens SET failing_since = ${is === "away" ? "1" : "NULL"} RETURNING 1`)
      // The gateway looks every ten seconds.
      if (is === "away") await settled(() => run("SELECT 1 FROM people WHERE held = 'away'").length > 0)
    },
    stop: async () => {
      await recorder.stop()
      await gateway.dispose()
      await provider.stop()
    }
  }
}
