import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startProvider } from "../../people/startProvider.ts"
import { Visitor } from "../../people/visitor.ts"
import { startPostgres } from "../../sql/postgresServer.ts"
import { commandOf } from "../programs.ts"
import { startRecorder } from "./recorder.ts"
import type { SignInServer } from "./server.ts"
import { freePort } from "../../freePort.ts"

const adminKey = "an-admin-key-of-the-tests-0123456789abcdef"

/**
 * The gateway that Claude Code brings along, which says at `GET /protocol` what its client does.
 *
 * @param upstream the address of the fake Anthropic
 * @param programs the folder of Postgres' programs
 */
export const startReference = async (upstream: string, programs: string): Promise<SignInServer> => {
  const at = freePort()
  const [provider, postgres] = await Promise.all([startProvider(), startPostgres(programs)])
  const port = Number(provider.env["GATEWAY_PORT"])
  const [url, behind] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${at}`]
  const folder = mkdtempSync(join(tmpdir(), "gateway-reference-"))
  const config = {
    listen: { host: "127.0.0.1", port: at, public_url: url },
    oidc: {
      issuer: provider.issuer,
      client_id: "gateway",
      client_secret: "gateway-secret",
      userinfo_fallback: true,
      scopes: ["openid", "email", "profile", "offline_access"]
    },
    session: { jwt_secret: "a-secret-of-the-tests-0123456789abcdef", ttl_hours: 1 },
    store: { postgres_url: postgres.url },
    upstreams: [{ provider: "anthropic", base_url: upstream, auth: { api_key: "unused" } }],
    admin: { write_keys: [{ id: "tests", key: adminKey }] },
    managed: { policies: [{ match: {}, code: { permissions: { deny: ["WebFetch"] } } }] }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  const child = Bun.spawn([...(await commandOf("claude")), "gateway", "--config", join(folder, "gateway.yaml")], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, CLAUDE_GATEWAY_ALLOW_LOOPBACK: "1" },
    stdout: Bun.file(join(folder, "log")),
    stderr: Bun.file(join(folder, "log.errors"))
  })
  while (
    !(await fetch(`${behind}/protocol`).then(
      ({ ok }) => ok,
      () => false
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`claude gateway ended: ${await Bun.file(join(folder, "log")).text()}`)
    await Bun.sleep(50)
  }
  const recorder = startRecorder(port, behind)
  const form = (fields: Readonly<Record<string, string>>) => ({
    method: "POST",
    headers: { origin: url },
    body: new URLSearchParams(fields)
  })
  return {
    name: "reference",
    url,
    exchanges: recorder.exchanges,
    approve: async (code, person) => {
      const visitor = new Visitor()
      const page = `${url}/device`
      await visitor.send(`${page}?user_code=${code}`)
      const asked = await visitor.send(page, form({ user_code: code }))
      const back = await visitor.send(await visitor.passProvider(url, person, page, asked))
      if (back.status !== 200) throw new Error(`not approved: ${back.status} ${await back.text()}`)
    },
    deny: async (code) => void (await new Visitor().send(`${url}/device/deny`, form({ user_code: code }))),
    budget: async (person, usd) => {
      const answer = await fetch(`${url}/v1/organizations/spend_limits`, {
        method: "POST",
        headers: { "x-api-key": adminKey },
        body: JSON.stringify({
          scope: { type: "user", user_id: person },
          amount: String(Math.floor(usd * 100)),
          period: "monthly"
        })
      })
      if (!answer.ok) throw new Error(`no budget: ${answer.status} ${await answer.text()}`)
    },
    putOut: async (person) => void (await fetch(`${provider.issuer}/-/remove?name=${person}`)),
    provider: async (is) => void (await fetch(`${provider.issuer}/-/${is}`)),
    stop: async () => {
      await recorder.stop()
      child.kill()
      await child.exited
      await Promise.all([provider.stop(), postgres.dispose()])
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
